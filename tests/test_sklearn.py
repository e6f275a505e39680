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
    source = tv.RandomSource.keyed(bytes(32))
    expected = MECHANISM.release(X, source=tv.RandomSource.keyed(bytes(32)))
    assert np.array_equal(PrivateTransformer(MECHANISM, source=source).fit_transform(X), expected)
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
    """A key makes the noise repeat, so that even checks of pickled copies pass; those of determinism are skipped."""
    outcomes = defaultdict(set)
    for width in WIDTHS:
        transformer = PrivateTransformer(
            tv.Laplace(epsilon=1.0, dimension=width), source=tv.RandomSource.keyed(bytes(32))
        )
        for result in check_estimator(transformer, on_fail=None):
            outcomes[result["check_name"]].add(result["status"])
    assert len(outcomes) > 30
    assert [name for name, seen in outcomes.items() if seen == {"failed"}] == []
