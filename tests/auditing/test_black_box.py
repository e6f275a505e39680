"""Broken promises are caught with the samples stated, kept ones are not accused, and the report says what was seen.

Powers are counted over repeated audits at fixed seeds. With a power of 95% fewer than 20 of 24 come about with
probability 0.006, and with a power of 60% at least 20 of 24 with 0.013.
"""

from __future__ import annotations

import math
import re
from itertools import count

import numpy as np
import pytest

import textveil as tv
from textveil.auditing import Verdict
from textveil.auditing.black_box import black_box_findings, samples_needed
from textveil.auditing.pairs import pairs_for
from textveil.errors import InvalidInputError
from textveil.guarantees import local_privacy, metric_privacy

ANY = local_privacy(1.0, unit=tv.Unit.VECTOR)
REPEATS = 24


def audits(subject_of, claim, pair, *, samples, alpha=0.05, repeats=REPEATS):
    """The findings of repeated audits, each with a seed of its own."""
    return [
        black_box_findings(
            subject_of(seed), claim, [pair], alpha=alpha, samples=samples, source=tv.RandomSource.seeded(seed)
        )[0]
        for seed in range(repeats)
    ]


def caught(findings):
    return sum(finding.verdict is Verdict.VIOLATED for finding in findings)


def test_adepts_noise_is_caught_within_900_samples_where_its_density_is_known():
    adept = tv.ClippedLaplace(epsilon=1.0, clip=1.0, dimension=32, variant="published", precision="fast")
    diagonal = pairs_for(adept)[0]
    np.testing.assert_allclose(diagonal[0], 1 / math.sqrt(32))
    findings = audits(lambda seed: adept, adept.guarantee, diagonal, samples=900, repeats=30)
    assert caught(findings) >= 27
    assert all(finding.samples <= 1800 for finding in findings)
    assert all("ln p" in finding.witness.event for finding in findings if finding.verdict is Verdict.VIOLATED)


def test_adepts_noise_is_caught_within_1300_samples_from_outputs_alone():
    def adept(seed):
        rng = np.random.default_rng(seed)
        return lambda vector: vector + rng.laplace(scale=2.0, size=32)

    half = np.full(32, 1 / math.sqrt(32))
    assert caught(audits(adept, ANY, (half, -half, None), samples=1300)) >= 20


@pytest.mark.parametrize(
    ("dimension", "loss", "samples"), [(1, 1, 152), (1, 2, 134), (1, 4, 364), (2, 1, 336), (2, 2, 220), (2, 4, 540)]
)
def test_half_the_noise_is_caught_in_one_and_two_dimensions(dimension, loss, samples):
    half_the_noise = tv.Laplace(epsilon=2.0 * loss, dimension=dimension)
    claim = tv.Laplace(epsilon=1.0 * loss, dimension=dimension).guarantee
    axis = np.eye(dimension)[0] / 2
    assert caught(audits(lambda seed: half_the_noise, claim, (axis, -axis, 1.0), samples=samples)) >= 20


def test_hyperbolic_noise_that_is_added_is_caught_within_2000_samples():
    published = tv.HyperbolicLaplace(epsilon=1.0, dimension=2, variant="published", steps=30)
    for pair in pairs_for(published):
        findings = audits(lambda seed: published, published.guarantee, pair, samples=2000, repeats=4)
        assert caught(findings) == 4, pair
    assert pair[2] == pytest.approx(5.888878)


def test_an_exact_lebesgue_draw_that_is_added_is_caught_by_outputs_out_of_reach():
    noise = tv.HyperbolicLaplace(epsilon=2.0, dimension=2, variant="lebesgue")
    assert noise.rate == 1

    def added(seed):
        drawn = iter(noise.release(np.zeros((4000, 2)), source=tv.RandomSource.seeded(seed)))
        return lambda point: point + next(drawn)

    claim = metric_privacy(1.0, metric="hyperbolic distance", unit=tv.Unit.VECTOR)
    pair = (np.array([0.9, 0.0]), np.array([-0.9, 0.0]), None)
    assert caught(audits(added, claim, pair, samples=2000, repeats=8)) == 8


def seen_within(finding):
    """How many outputs of each input were drawn before the breach was seen."""
    further = re.search(r"Then it happened .* in ([0-9,]+) outputs", finding.explanation)
    return finding.samples // 2 - int(further[1].replace(",", ""))


def test_a_gross_breach_stops_after_tens_of_samples():
    [finding] = black_box_findings(
        lambda vector: vector, ANY, [(np.zeros(3), np.ones(3), None)], alpha=0.01, samples=10_000
    )
    assert finding.verdict is Verdict.VIOLATED
    assert seen_within(finding) <= 40
    assert finding.samples <= 2 * (40 + 2000)


@pytest.mark.parametrize(("samples", "least"), [(300, 3.5), (2000, 5.5), (10_000, 5.5)])
def test_fresh_outputs_say_how_large_a_breach_is(samples, least):
    [finding] = black_box_findings(
        lambda vector: vector, ANY, [(np.zeros(3), np.ones(3), None)], alpha=0.01, samples=samples
    )
    assert finding.samples <= 2 * samples
    assert finding.bound == finding.witness.loss >= least


def test_fresh_outputs_of_another_kind_do_not_lower_the_bound_below_the_claim():
    calls = count()
    [finding] = black_box_findings(
        lambda bit: None if next(calls) >= 62 else float(bit), ANY, [(0, 1, None)], alpha=0.01, samples=1000
    )
    assert finding.verdict is Verdict.VIOLATED
    assert finding.bound == 1.0


def test_no_bound_is_above_the_true_loss():
    """Bounds of answers that are true with odds of e^2: each is wrong with probability 0.05, 9 of 40 with 2e-4."""

    def answers(seed):
        rng = np.random.default_rng(seed)
        return lambda bit: bit if rng.random() < 1 / (1 + math.exp(-2)) else 1 - bit

    half = local_privacy(0.5, unit=tv.Unit.VECTOR)
    findings = audits(answers, half, (0, 1, None), samples=600, repeats=40)
    assert caught(findings) == 40
    assert sum(finding.bound > 2 for finding in findings) < 9
    assert np.median([finding.bound for finding in findings]) > 1.3


def test_what_was_not_caught_has_no_more_than_was_claimed():
    rng = np.random.default_rng(0)
    [finding] = black_box_findings(lambda bit: float(rng.random() < 0.5), ANY, [(0, 1, None)], alpha=0.01, samples=200)
    assert finding.verdict is Verdict.NOT_CERTIFIABLE
    assert finding.bound == 0
    assert finding.witness.loss < 1


def test_what_tells_nothing_is_not_told_as_an_event():
    [finding] = black_box_findings(lambda bit: 7.0, ANY, [(0, 1, None)], alpha=0.01, samples=100)
    assert "No event that tells x and x' apart was found in 75 outputs of each" in finding.explanation


def test_a_word_that_is_released_without_noise_is_caught():
    rng = np.random.default_rng(0)
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(50)], 5 * rng.normal(size=(50, 4)))
    nadp = tv.Nadp(vocabulary, epsilon=1.0, delta=1e-3, variant="published", sensitivities=np.repeat([0.0, 3.0], 25))
    [finding] = black_box_findings(
        nadp, nadp.guarantee, [("w1", "w40", 1.0)], alpha=0.01, samples=2000, source=tv.RandomSource.seeded(0)
    )
    assert finding.verdict is Verdict.VIOLATED
    assert seen_within(finding) <= 200


def test_words_that_pass_through_and_lengths_that_show_are_caught():
    rng = np.random.default_rng(0)
    claim = local_privacy(1.0, unit=tv.Unit.TEXT, whole=True)

    def swaps_words(text):
        return " ".join(rng.permutation(text.split()))

    def pads(text):
        return "".join(rng.choice(list("abc"), size=len(text)))

    for function, pair in ((swaps_words, ("my aunt is ill", "my aunt is well")), (pads, ("short", "much longer"))):
        [finding] = black_box_findings(function, claim, [(*pair, None)], alpha=0.01, samples=500)
        assert finding.verdict is Verdict.VIOLATED


def test_outputs_of_another_shape_or_kind_tell_inputs_apart():
    functions = [
        lambda x: np.zeros(2 + int(x)),
        lambda x: None if x else 1.0,
        lambda x: float("nan") if x else 1.0,
        lambda x: ["a"] if x else ("a",),
    ]
    for function in functions:
        [finding] = black_box_findings(function, ANY, [(0, 1, None)], alpha=0.01, samples=200)
        assert finding.verdict is Verdict.VIOLATED


def test_a_breach_of_delta_is_caught_and_a_delta_that_is_kept_is_not():
    def shows_sometimes(chance):
        def make(seed):
            rng = np.random.default_rng(seed)
            return lambda word: word if rng.random() < chance else "other"

        return make

    claim = local_privacy(0.5, delta=0.1, unit=tv.Unit.WORD)
    assert caught(audits(shows_sometimes(0.2), claim, ("a", "b", None), samples=600, repeats=20)) >= 18
    assert caught(audits(shows_sometimes(0.1), claim, ("a", "b", None), samples=600, alpha=0.001, repeats=20)) == 0


def test_what_was_not_caught_says_how_many_samples_would_be_needed():
    laplace = tv.Laplace(epsilon=1.0, dimension=2)
    [finding] = black_box_findings(
        laplace,
        laplace.guarantee,
        [(np.zeros(2), np.array([8.0, 0.0]), 8.0)],
        alpha=0.01,
        samples=200,
        source=tv.RandomSource.seeded(0),
    )
    assert finding.verdict is Verdict.NOT_CERTIFIABLE
    assert finding.needed >= 2 * math.log(200) * math.exp(8)
    assert "can't show that a promise holds" in finding.explanation
    assert samples_needed(4, alpha=0.05) == pytest.approx(204, abs=3)


def test_alpha_is_shared_by_the_pairs():
    pairs = [(np.zeros(2), np.ones(2), None)] * 4
    findings = black_box_findings(lambda vector: vector, ANY, pairs, alpha=0.01, samples=100)
    assert [finding.alpha for finding in findings] == [0.0025] * 4


def test_a_pair_that_is_promised_nothing_is_not_sampled():
    def never(value):
        raise AssertionError("called")

    claim = tv.Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0, dimension=2).guarantee
    [finding] = black_box_findings(never, claim, [(np.zeros(2), np.full(2, 9.0), None)], alpha=0.01, samples=100)
    assert finding.verdict is Verdict.NOT_CERTIFIABLE
    assert finding.samples == 0


def test_the_bound_is_in_the_unit_of_the_claim():
    claim = metric_privacy(0.1, metric="Euclidean distance", unit=tv.Unit.VECTOR)
    [finding] = black_box_findings(
        lambda x: x, claim, [(np.zeros(1), np.full(1, 10.0), None)], alpha=0.01, samples=4000
    )
    assert finding.witness.claimed == pytest.approx(1.0)
    assert finding.bound == pytest.approx(finding.witness.loss / 10)


def test_inputs_whose_distance_is_not_known_need_one():
    claim = metric_privacy(1.0, metric="distance in a tree", unit=tv.Unit.WORD)
    with pytest.raises(InvalidInputError, match="pairs=\\[\\(x, y, distance\\)\\]"):
        black_box_findings(str.upper, claim, [("a", "b", None)], alpha=0.01, samples=100)


def test_a_keyed_source_and_a_senseless_alpha_are_refused():
    laplace = tv.Laplace(epsilon=1.0, dimension=2)
    pair = (np.zeros(2), np.ones(2), None)
    with pytest.raises(InvalidInputError, match="keyed"):
        black_box_findings(
            laplace, laplace.guarantee, [pair], alpha=0.01, samples=100, source=tv.RandomSource.keyed(b"0" * 16)
        )
    with pytest.raises(InvalidInputError, match="alpha"):
        black_box_findings(laplace, laplace.guarantee, [pair], alpha=0.0, samples=100)
