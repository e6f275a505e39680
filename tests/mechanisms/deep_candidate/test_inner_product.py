"""Inner products as utility: exact whatever the batch, bounded by what one sentence can give; law and promise."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import textveil as tv
from textveil.mechanisms.deep_candidate import inner_product
from textveil.mechanisms.deep_candidate.inner_product import STEPS, InnerProducts, usual_clip
from textveil.vocabulary.lattice import STEP

KEY = b"a key of 16 bytes"


def snapped(vectors):
    return np.rint(np.asarray(vectors, dtype=float) / STEP) * STEP


def units(rng, count, dimension):
    vectors = rng.normal(size=(count, dimension))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def steps(candidates, documents, clip):
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])])
    sentences = np.concatenate([np.reshape(document, (len(document), candidates.shape[1])) for document in documents])
    return InnerProducts(candidates, clip).among(sentences, offsets).astype(int)


def brute(candidates, document, clip):
    """Steps by their definition, in fractions."""
    low, high = map(Fraction, clip)
    found = []
    for f in snapped(candidates):
        total = 0
        for s in snapped(document):
            inner = sum((Fraction(a) * Fraction(b) for a, b in zip(s, f, strict=True)), Fraction(0))
            total += min(max(round((inner - low) * STEPS / (high - low)), 0), STEPS)
        found.append(total)
    return found


@pytest.fixture(scope="module")
def candidates():
    return tv.Candidates(units(np.random.default_rng(0), 30, 6), [f"text {i}" for i in range(30)])


@pytest.fixture(scope="module")
def document():
    return units(np.random.default_rng(1), 5, 6)


def make(candidates, **options):
    return tv.DeepCandidate(candidates, **({"epsilon": 3.0, "utility": "inner-product", "clip": (-0.5, 0.5)} | options))


def test_fractions_agree(document):
    vectors = snapped(units(np.random.default_rng(2), 12, 6))
    for clip in ((-0.5, 0.5), (-1.0, 1.0), (0.0, 0.25)):
        assert steps(vectors, [document], clip)[0].tolist() == brute(vectors, document, clip)


def test_sums_of_384_products_are_exact():
    """A step is made as wide as the least difference of two products, 2^-40: any rounding would be seen."""
    rng = np.random.default_rng(3)
    sentence, base = snapped(units(rng, 1, 384)), snapped(units(rng, 1, 384))
    # Along the last coordinates products change by single steps.
    sentence[0, -3:] = [STEP, -3 * STEP, 5 * STEP]
    moves = np.concatenate([np.zeros((200, 381)), rng.integers(-9, 10, size=(200, 3))], axis=1)
    vectors = base + moves * STEP
    exact = np.rint(vectors / STEP).astype(np.int64) @ np.rint(sentence[0] / STEP).astype(np.int64)
    low = int(exact[0]) - STEPS // 2
    found = steps(vectors, [sentence], (low * STEP**2, (low + STEPS) * STEP**2))[0]
    assert (found == np.clip(exact - low, 0, STEPS)).all()
    assert len(set(found)) > 50


def test_what_a_sentence_gives_does_not_depend_on_what_stands_beside_it(monkeypatch):
    rng = np.random.default_rng(4)
    vectors, documents = snapped(units(rng, 70, 384)), [units(rng, k, 384) for k in (1, 7, 0, 40, 3)]
    together = steps(vectors, documents, (-0.1, 0.1))
    monkeypatch.setattr(inner_product, "_SENTENCES", 5)
    monkeypatch.setattr(inner_product, "_CANDIDATES", 16)
    for document, row in zip(documents, together, strict=True):
        alone = sum(
            (steps(vectors, [sentence[None]], (-0.1, 0.1))[0] for sentence in document), np.zeros(70, dtype=int)
        )
        assert (alone == row).all()


numbers = st.floats(-3, 3, allow_nan=False)
vectors3 = st.tuples(numbers, numbers, numbers)
clips = st.tuples(st.floats(-4, 4), st.floats(0.01, 4)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(
    st.lists(vectors3, min_size=1, max_size=8),
    st.lists(vectors3, max_size=6),
    vectors3,
    st.one_of(vectors3, st.just((1e300, -1e300, 5e8))),
    clips,
)
@settings(max_examples=300, deadline=None)
def test_one_sentence_gives_from_0_to_256_steps_to_each_candidate(points, others, old, new, clip):
    """So an exchange moves a sum by at most 256, and one sentence more only raises it."""
    others = np.array(others, float).reshape(-1, 3)
    documents = [np.concatenate([others, np.array(more, float).reshape(-1, 3)]) for more in ([old], [new], [])]
    before, after, without = steps(snapped(points), documents, clip)
    assert np.abs(before - after).max() <= STEPS
    for changed in (before, after):
        assert (changed - without).min() >= 0
        assert (changed - without).max() <= STEPS


@given(
    st.lists(vectors3, min_size=2, max_size=8),
    st.lists(vectors3, max_size=4),
    vectors3,
    vectors3,
    clips,
    st.sampled_from(["permute-and-flip", "exponential"]),
)
@settings(max_examples=100, deadline=None)
def test_the_loss_is_within_epsilon_for_one_sentence_and_half_of_it_for_one_more(
    points, others, old, new, clip, choose
):
    mechanism = make(tv.Candidates(np.array(points) + 1.0), epsilon=2.0, clip=clip, choose=choose)
    others = np.array(others, float).reshape(-1, 3)
    first, second, without = (
        np.log(mechanism.law(np.concatenate([others, np.array(more, float).reshape(-1, 3)])))
        for more in ([old], [new], [])
    )
    assert np.abs(first - second).max() <= 2.0 + 1e-9
    assert np.abs(first - without).max() <= 1.0 + 1e-9


@pytest.mark.parametrize("choose", ["permute-and-flip", "exponential"])
def test_epsilon_is_nearly_reached(choose):
    """A sentence turns round: one candidate loses the width of the clip, all others gain it."""
    points = np.concatenate([[[1.0]], np.full((4999, 1), -1.0)])
    mechanism = make(tv.Candidates(points), epsilon=1.0, clip=(-1.0, 1.0), choose=choose)
    loss = math.log(mechanism.law(np.array([[1.0]]))[0] / mechanism.law(np.array([[-1.0]]))[0])
    assert 0.999 < loss <= 1.0


@pytest.mark.parametrize("choose", ["permute-and-flip", "exponential"])
def test_releases_follow_the_law(candidates, document, choose):
    """G-test at 1e-7; the law of an epsilon x1.3 must fail."""
    mechanism = make(candidates, choose=choose)
    chosen = mechanism.release([document] * 30_000, source=tv.RandomSource.seeded(5))
    drawn = np.bincount([item.index for item in chosen], minlength=30)
    for factor, passes in ((1.0, True), (1.3, False)):
        law = make(candidates, choose=choose, epsilon=factor * 3.0).law(document)
        assert law.sum() == pytest.approx(1.0, abs=1e-12)
        assert (stats.power_divergence(drawn, law * drawn.sum(), lambda_=0).pvalue > 1e-7) == passes


def test_the_law_of_the_exponential_choice_is_its_formula(candidates, document):
    """P(f) is proportional to exp(epsilon u(f) / (2 (b - a))), up to half a step of u for each sentence."""
    low, high = -0.4, 0.4
    inner = np.clip(document @ candidates.vectors.T, low, high).sum(axis=0)
    ideal = np.exp(3.0 * inner / (2 * (high - low)))
    law = make(candidates, clip=(low, high), choose="exponential").law(document)
    rounding = 3.0 / 2 * len(document) / 2 / STEPS
    assert np.abs(np.log(law) - np.log(ideal / ideal.sum())).max() <= 2 * rounding + 1e-9


def test_the_usual_clip_lies_where_candidates_differ():
    rng = np.random.default_rng(6)
    topics = units(rng, 5, 40)
    vectors = snapped(np.repeat(topics, 40, axis=0) + units(rng, 200, 40) / 2)
    low, high = usual_clip(vectors)
    products = vectors @ vectors.T
    assert low < 0.5 < np.quantile(products, 0.99) < high < products.max()
    mechanism = tv.DeepCandidate(tv.Candidates(vectors), epsilon=20.0, utility="inner-product")
    assert mechanism.clip == (low, high)
    document = topics[3] + units(rng, 10, 40) / 2
    assert mechanism.law(document)[120:160].sum() > 0.95


@pytest.mark.parametrize("vectors", [np.ones((1, 3)), np.ones((5, 3)), np.zeros((4, 2))])
def test_candidates_that_do_not_differ_have_a_clip_too(vectors):
    mechanism = tv.DeepCandidate(tv.Candidates(vectors), epsilon=1.0, utility="inner-product")
    assert mechanism.law(np.ones((2, vectors.shape[1]))) == pytest.approx(np.full(len(vectors), 1 / len(vectors)))


def test_a_candidate_that_is_there_twice_is_chosen_twice_as_often(document):
    vectors = np.concatenate([np.eye(6), np.eye(6)[:1]])
    law = make(tv.Candidates(vectors), choose="exponential").law(document)
    assert law[0] == law[6]
    assert law[:6] / law[:6].sum() == pytest.approx(make(tv.Candidates(np.eye(6)), choose="exponential").law(document))


@pytest.mark.parametrize("sentences", [0, 1, 10_000])
def test_documents_of_any_length_are_released(candidates, sentences):
    document = units(np.random.default_rng(7), sentences, 6).reshape(-1, 6)
    mechanism = make(candidates, epsilon=0.001)
    source = tv.RandomSource.keyed(KEY)
    assert mechanism.release(document, source=source).index == mechanism.release([document] * 2, source=source)[0].index
    if sentences == 0:
        assert mechanism.law(document) == pytest.approx(np.full(30, 1 / 30))


def test_a_release_does_not_depend_on_the_batch(candidates):
    rng = np.random.default_rng(8)
    documents = [units(rng, k, 6).reshape(-1, 6) for k in rng.integers(0, 40, size=300)]
    mechanism = make(candidates)
    source = tv.RandomSource.keyed(KEY)
    together = [item.index for item in mechanism.release(documents, source=source)]
    for row in (0, 150, 299):
        assert mechanism.release(documents[row], source=source.at(row)).index == together[row]


def test_a_spec_makes_it_again(candidates, document):
    for mechanism in (make(candidates), make(candidates, clip=None), make(candidates, choose="exponential")):
        again = tv.from_spec(mechanism.spec(), objects={"candidates": candidates})
        assert again.spec() == mechanism.spec()
        assert again.law(document) == pytest.approx(mechanism.law(document))
    assert make(candidates).guarantee == tv.DeepCandidate(candidates, epsilon=3.0).guarantee


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"utility": "cosine"}, "utility must be"),
        ({"utility": "depth"}, "leave it out"),
        ({"variant": "published"}, "published variant"),
        ({"clip": (0.5, 0.5)}, "the first below"),
        ({"clip": (0.5, -0.5)}, "the first below"),
        ({"clip": (0.0, math.inf)}, "finite"),
        ({"clip": (math.nan, 1.0)}, "finite"),
        ({"clip": (0.0, 1.0, 2.0)}, "two numbers"),
        ({"clip": 1.0}, "two numbers"),
    ],
)
def test_bad_parameters_are_refused(candidates, options, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        make(candidates, **options)


def test_candidates_too_large_for_exact_products_are_refused(candidates):
    with pytest.raises(tv.InvalidInputError, match="too large for exact products"):
        make(tv.Candidates(np.full((2, 4), 1e6)))
    with pytest.raises(tv.InvalidInputError, match=r"\(sentences, 6\)"):
        make(candidates).release(np.zeros((2, 5)))
