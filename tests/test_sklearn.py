"""The scikit-learn transformer: pipelines, clones, names, pickles, and scikit-learn's own checks."""

from __future__ import annotations

import pickle
import sys
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import textveil as tv
from textveil.sklearn import PrivateTransformer

X = np.random.default_rng(0).normal(size=(60, 3))
MECHANISM = tv.Laplace(epsilon=4.0, dimension=3)
# scikit-learn's checks come with data of these widths; a mechanism has one width.
WIDTHS = (1, 2, 3, 4, 5, 10)


def test_transform_is_a_release():
    expected = MECHANISM.release(X, source=tv.RandomSource.seeded(1))
    transformer = PrivateTransformer(MECHANISM, source=tv.RandomSource.seeded(1))
    assert np.array_equal(transformer.fit_transform(X), expected)
    assert (transformer.transform(X) != expected).any()
    fresh = PrivateTransformer(MECHANISM).fit(X)
    assert (fresh.transform(X) != fresh.transform(X)).any()
    assert fresh.guarantee == MECHANISM.guarantee


def test_fit_learns_nothing_from_the_values():
    first, second = (PrivateTransformer(MECHANISM).fit(data) for data in (X, 1000 * X))
    assert vars(first) == vars(second)
    assert sorted(vars(first)) == ["mechanism", "n_features_in_", "source"]


def test_it_works_in_a_pipeline_and_survives_clone_and_pickle():
    pipeline = make_pipeline(PrivateTransformer(tv.Laplace(epsilon=1000.0, dimension=3)), LogisticRegression())
    y = X[:, 0] > 0
    assert clone(pipeline).fit(X, y).score(X, y) > 0.8
    fitted = PrivateTransformer(MECHANISM).fit(X)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301
    assert again.transform(X).shape == (60, 3)
    assert again.mechanism.spec() == MECHANISM.spec()


def test_frames_keep_their_names():
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(60) + 5)
    released = PrivateTransformer(MECHANISM).set_output(transform="pandas").fit_transform(frame)
    assert list(released.columns) == ["a", "b", "c"]
    assert list(released.index) == list(frame.index)
    assert list(PrivateTransformer(MECHANISM).fit(X).get_feature_names_out()) == ["x0", "x1", "x2"]


def test_fewer_released_columns_are_numbered(monkeypatch):
    transformer = PrivateTransformer(MECHANISM).fit(X)
    monkeypatch.setattr(tv.Laplace, "released_dimension", 2)
    assert list(transformer.get_feature_names_out(["a", "b", "c"])) == ["released0", "released1"]


def test_bags_of_words_go_through_a_pipeline_without_being_made_dense():
    texts = ["the doctor moved", "a nurse stayed", "the nurse moved", "a doctor stayed"]
    words = ["doctor", "nurse", "moved", "stayed"]
    for vectorizer in (CountVectorizer(vocabulary=words), TfidfVectorizer(vocabulary=words)):
        mechanism = tv.PrivEmb(epsilon=1e4, dimension=4, target=4, projection="haar")
        pipeline = make_pipeline(vectorizer, PrivateTransformer(mechanism), LogisticRegression())
        assert pipeline.fit(texts, [0, 1, 0, 1]).predict(texts).shape == (4,)
        released = pipeline[:-1].transform(texts)
        projected = mechanism.chosen.apply(vectorizer.transform(texts).toarray().astype(float))
        assert np.allclose(released, projected, atol=0.05)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        PrivateTransformer(tv.Laplace(epsilon=1.0, dimension=4)).fit(vectorizer.transform(texts))


def test_the_wrong_width_and_the_wrong_mechanism_are_refused():
    with pytest.raises(tv.InvalidInputError, match=r"2 columns.*dimension 3"):
        PrivateTransformer(MECHANISM).fit(X[:, :2])
    with pytest.raises(tv.InvalidInputError, match="must take vectors"):
        PrivateTransformer("noise").fit(X)


def test_without_scikit_learn_the_message_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "textveil.sklearn")
    with pytest.raises(tv.MissingDependencyError, match=r"textveil\[sklearn\]"):
        import textveil.sklearn  # noqa: F401


@pytest.mark.filterwarnings("ignore")
def test_every_check_of_scikit_learn_passes_at_the_width_of_its_data():
    """The noise is far below the step, so that even checks of pickled copies pass; those of determinism are skipped."""
    outcomes = defaultdict(set)
    for width in WIDTHS:
        transformer = PrivateTransformer(tv.Laplace(epsilon=1e18, dimension=width, step=2.0**-36))
        for result in check_estimator(transformer, on_fail=None):
            outcomes[result["check_name"]].add(result["status"])
    assert len(outcomes) > 30
    assert [name for name, seen in outcomes.items() if seen == {"failed"}] == []


def test_a_keyed_source_is_refused_since_it_would_repeat_its_noise():
    transformer = PrivateTransformer(MECHANISM, source=tv.RandomSource.keyed(bytes(32)))
    with pytest.raises(tv.InvalidInputError, match="each transform would repeat the noise; leave source=None"):
        transformer.fit(X)
    fitted = PrivateTransformer(MECHANISM).fit(X).set_params(source=tv.RandomSource.keyed(bytes(32)))
    with pytest.raises(tv.InvalidInputError, match="repeat the noise"):
        fitted.transform(X)


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize(
    "private",
    [
        [["secret", "2", "3"]],
        np.array([["secret", 2, 3]], dtype=object),
        pd.DataFrame({"a": ["secret"], "b": [2.0], "c": [3.0]}),
        np.array([123456.789, 2.0, 3.0]),
        123456.789,
    ],
    ids=["list", "objects", "frame", "one row", "one number"],
)
def test_errors_quote_no_private_value(private):
    fitted = PrivateTransformer(MECHANISM).fit(X)
    for step in (PrivateTransformer(MECHANISM).fit, fitted.transform):
        with pytest.raises(tv.InvalidInputError, match="X must be numbers") as raised:
            step(private)
        assert raised.value.__suppress_context__
        assert "secret" not in str(raised.value)
        assert "123456" not in str(raised.value)
