"""DeepCandidate: its exact law, its promise on that law, hostile documents, and that nothing depends on the batch."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import textveil as tv
from textveil.mechanisms.deep_candidate.law import exponential_law, permute_and_flip_law

KEY = b"a key of 16 bytes"


@pytest.fixture(scope="module")
def candidates():
    rng = np.random.default_rng(0)
    return tv.Candidates(rng.normal(size=(30, 6)), [f"text {i}" for i in range(30)])


@pytest.fixture(scope="module")
def document():
    return np.random.default_rng(1).normal(size=(12, 6)) / 2


def make(candidates, **options):
    return tv.DeepCandidate(candidates, **({"epsilon": 3.0, "projections": 5} | options))


def test_one_document_gives_one_candidate_and_a_list_a_list(candidates, document):
    mechanism = make(candidates)
    chosen = mechanism.release(document)
    assert chosen.text == f"text {chosen.index}"
    assert (chosen.vector == candidates.vectors[chosen.index]).all()
    assert [type(item) for item in mechanism.release([document, document[:1], document[:0]])] == [tv.Chosen] * 3
    assert mechanism.release([]) == []


def test_torch_documents_are_taken(candidates, document):
    torch = pytest.importorskip("torch")
    mechanism = make(candidates)
    source = tv.RandomSource.keyed(KEY)
    assert mechanism.release(torch.tensor(document), source=source).index == (
        mechanism.release(document, source=source).index
    )


@pytest.mark.parametrize("options", [{}, {"choose": "exponential"}, {"variant": "published"}])
def test_releases_follow_the_law(candidates, document, options):
    """G-test at 1e-7; the law of an epsilon x1.3 must fail."""
    mechanism = make(candidates, **options)
    chosen = mechanism.release([document] * 30_000, source=tv.RandomSource.seeded(2))
    drawn = np.bincount([item.index for item in chosen], minlength=30)
    for factor, passes in ((1.0, True), (1.3, False)):
        law = make(candidates, **(options | {"epsilon": factor * 3.0})).law(document)
        assert law.sum() == pytest.approx(1.0, abs=1e-12)
        assert (stats.power_divergence(drawn, law * drawn.sum(), lambda_=0).pvalue > 1e-7) == passes


def test_the_law_of_permute_and_flip_has_the_golden_values():
    assert permute_and_flip_law(np.array([0, 1, 2]), 1.0) == pytest.approx(
        [0.76498833, 0.17564188, 0.0593698], abs=1e-8
    )
    assert exponential_law(np.array([0, 1, 2]), 1.0) == pytest.approx([0.66524096, 0.24472847, 0.09003057], abs=1e-8)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=9), st.floats(0.01, 6.0))
@settings(deadline=None)
def test_the_law_of_permute_and_flip_is_its_integral(above, rate):
    """Against exact integration of the polynomial."""
    gaps = max(above) - np.array(above)
    p = np.exp(-rate * gaps)
    expected = []
    for r in range(len(p)):
        product = np.polynomial.Polynomial([1.0])
        for s in range(len(p)):
            if s != r:
                product *= np.polynomial.Polynomial([1.0, -p[s]])
        expected.append(p[r] * (product.integ()(1.0) - product.integ()(0.0)))
    assert permute_and_flip_law(gaps, rate) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "deep", "depth", "exponential", "flipped"),
    [(3, 55, 5, 0.9526, 0.9534), (6, 25, 3, 0.9760, 0.9769), (10, 5, 2, 0.9566, 0.9634), (23, 1, 1, 0.9518, 0.9751)],
)
def test_table_1_is_true_and_permute_and_flip_is_never_worse(epsilon, deep, depth, exponential, flipped):
    gaps = np.full(5000, depth)
    gaps[:deep] = 0
    assert exponential_law(gaps, epsilon / 2)[:deep].sum() == pytest.approx(exponential, abs=5e-5)
    law = permute_and_flip_law(gaps, epsilon / 2)
    assert law[:deep].sum() == pytest.approx(flipped, abs=5e-5)
    assert law.sum() == pytest.approx(1.0, abs=1e-12)


grid = st.tuples(st.integers(-2, 2), st.integers(-2, 2))


@given(
    st.lists(grid, min_size=2, max_size=8),
    st.lists(grid, min_size=0, max_size=6),
    grid,
    grid,
    st.sampled_from(["permute-and-flip", "exponential"]),
    st.sampled_from(["repaired", "published"]),
)
@settings(max_examples=200, deadline=None)
def test_the_loss_is_within_epsilon_for_one_sentence_and_half_of_it_for_one_more(
    points, others, old, new, choose, variant
):
    mechanism = make(tv.Candidates(np.array(points, float)), epsilon=2.0, choose=choose, variant=variant)
    others = np.array(others, float).reshape(-1, 2)
    first, second, without = (
        np.log(mechanism.law(np.concatenate([others, np.array(more, float).reshape(-1, 2)])))
        for more in ([old], [new], [])
    )
    assert np.abs(first - second).max() <= 2.0 + 1e-9
    assert np.abs(first - without).max() <= 1.0 + 1e-9


@pytest.mark.parametrize("choose", ["permute-and-flip", "exponential"])
def test_epsilon_is_nearly_reached(choose):
    """One candidate loses a sentence and all others gain one: the exponent needs its half."""
    points = np.concatenate([[[1.0]], np.full((4999, 1), -1.0)])
    mechanism = tv.DeepCandidate(tv.Candidates(points), epsilon=1.0, projections=1, choose=choose)
    before = np.array([[-2.0], [0.0], [2.0], [2.0]])
    after = np.array([[-2.0], [0.0], [-2.0], [2.0]])
    assert mechanism.utilities(before)[:2].tolist() == [2, 1]
    assert mechanism.utilities(after)[:2].tolist() == [1, 2]
    loss = math.log(mechanism.law(before)[0] / mechanism.law(after)[0])
    assert 0.999 < loss <= 1.0


def test_a_candidate_that_equals_every_sentence_is_best_here_and_worst_as_published(candidates):
    document = np.tile(candidates.vectors[4], (9, 1))
    assert make(candidates).utilities(document)[4] == 9
    published = make(candidates, variant="published")
    assert published.utilities(document)[4] == 0
    assert published.choose == "exponential"


def test_the_promise_is_per_sentence_and_adds_up(candidates):
    mechanism = make(candidates)
    guarantee = mechanism.guarantee
    assert (guarantee.epsilon, guarantee.delta, guarantee.slack, guarantee.status) == (3.0, 0.0, 0.0, "proved")
    assert guarantee.unit is tv.Unit.SENTENCE
    assert "two sentences of one document, its other sentences being the same" in str(guarantee)
    several = mechanism.guarantee_for(sentences=4)
    assert (several.epsilon, several.unit) == (12.0, tv.Unit.DOCUMENT)
    assert "at most 4 sentences" in str(several)
    with pytest.raises(tv.InvalidInputError, match="sentences"):
        mechanism.guarantee_for(sentences=0)


@pytest.mark.parametrize("sentences", [0, 1, 10_000])
def test_documents_of_any_length_are_released(candidates, sentences):
    document = np.random.default_rng(3).normal(size=(sentences, 6))
    mechanism = make(candidates, epsilon=0.001)
    assert 0 <= mechanism.release(document).index < 30
    law = mechanism.law(document)
    if sentences == 0:
        assert law == pytest.approx(np.full(30, 1 / 30))


def test_a_release_does_not_depend_on_the_batch(candidates):
    rng = np.random.default_rng(4)
    documents = [rng.normal(size=(k, 6)) / 2 for k in rng.integers(0, 40, size=400)]
    documents[7] = rng.normal(size=(5000, 6))
    mechanism = make(candidates)
    source = tv.RandomSource.keyed(KEY)
    together = [item.index for item in mechanism.release(documents, source=source)]
    for row in (0, 6, 7, 8, 150, 399):
        assert mechanism.release(documents[row], source=source.at(row)).index == together[row]
    assert len(set(together)) > 10


def test_directions_are_public_whole_and_of_the_seed(candidates):
    directions = make(candidates, seed=3).directions
    assert (directions == np.rint(directions)).all()
    assert not directions.flags.writeable
    assert (directions == make(candidates, seed=3, epsilon=9.0).directions).all()
    assert (directions != make(candidates, seed=4).directions).any()
    wide = tv.DeepCandidate(tv.Candidates(np.ones((1, 2000))), epsilon=1.0).directions / 1024
    assert stats.kstest(wide.ravel(), stats.norm().cdf).pvalue > 1e-7


def test_a_spec_makes_it_again(candidates, document):
    for options in ({}, {"variant": "published"}, {"choose": "exponential", "seed": 5}):
        mechanism = make(candidates, **options)
        again = tv.from_spec(mechanism.spec(), objects={"candidates": candidates})
        assert again.spec() == mechanism.spec()
        source = tv.RandomSource.keyed(KEY)
        assert again.release(document, source=source).index == mechanism.release(document, source=source).index
    copy = pickle.loads(pickle.dumps(mechanism))  # noqa: S301
    assert copy.spec() == mechanism.spec()
    with pytest.raises(tv.CertificateError):
        tv.from_spec(mechanism.spec(), objects={"candidates": tv.Candidates(np.ones((2, 6)))})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"projections": 0}, "projections"),
        ({"projections": 100_000}, "at most 10,000"),
        ({"choose": "best"}, "choose"),
        ({"variant": "new"}, "variant"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_parameters_are_refused(candidates, options, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        make(candidates, **options)
    with pytest.raises(tv.InvalidInputError, match="candidates must be numbers of shape"):
        tv.DeepCandidate("candidates.npz", epsilon=1.0)


def test_an_array_of_public_vectors_is_enough(candidates, document):
    mechanism = tv.DeepCandidate(candidates.vectors, epsilon=3.0, projections=5)
    assert mechanism.law(document) == pytest.approx(make(tv.Candidates(candidates.vectors)).law(document), abs=0)
    assert mechanism.release(document).text is None


@pytest.mark.parametrize(
    ("private", "message"),
    [
        (np.full((2, 5), 0.777), r"\(sentences, 6\)"),
        (np.full(6, 0.777), "several a list"),
        (np.full((2, 2, 6), 0.777), "several a list"),
        ([np.full(6, 0.777)], "several a list"),
        ([[0.777, np.nan, 0, 0, 0, 0]], "several a list"),
        (np.full((2, 6), np.nan), "finite"),
        ([np.full((2, 6), np.inf)], "finite"),
        (np.full((1, 6), "0.777"), "numbers"),
        (np.zeros((65_536, 6)), "65,535 sentences"),
    ],
)
def test_bad_documents_are_refused_without_being_quoted(candidates, private, message):
    with pytest.raises(tv.InvalidInputError, match=message) as caught:
        make(candidates).release(private)
    assert "777" not in str(caught.value)
