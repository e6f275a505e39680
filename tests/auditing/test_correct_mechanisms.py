"""Correct mechanisms, hostile ones too, are accused no more often than alpha says."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.conftest import clustered_vocabulary

import textveil as tv
from textveil.auditing import Verdict
from textveil.auditing.black_box import black_box_findings
from textveil.auditing.distribution import distribution_findings
from textveil.auditing.pairs import pairs_for
from textveil.guarantees import Guarantee, local_privacy, metric_privacy

FALSE_ALARM = 1e-6
WORD = tv.Unit.WORD
Make = Callable[[np.random.Generator], Callable[[Any], Any]]


def line(epsilon: float) -> Guarantee:
    return metric_privacy(epsilon, metric="Euclidean distance", unit=tv.Unit.VECTOR)


def response(words: int, epsilon: float) -> Make:
    """Randomised response: the truth is exactly e^epsilon times as likely as any other word."""

    def make(rng):
        truth = math.exp(epsilon) / (math.exp(epsilon) + words - 1)

        def answer(word):
            return word if rng.random() < truth else int(word + rng.integers(1, words)) % words

        return answer

    return make


def laplace(scale: float) -> Make:
    return lambda rng: lambda x: np.asarray(x) + rng.laplace(scale=scale, size=np.shape(x))


def geometric(epsilon: float) -> Make:
    """The discrete Laplace law: tight for neighbouring whole numbers."""
    return lambda rng: lambda x: int(x + rng.geometric(-math.expm1(-epsilon)) - rng.geometric(-math.expm1(-epsilon)))


def normal(epsilon: float, delta: float) -> Make:
    sigma = tv.Gaussian(epsilon=epsilon, delta=delta, sensitivity=1.0, dimension=1).sigma
    return lambda rng: lambda x: np.asarray(x) + sigma * rng.normal(size=np.shape(x))


def rare(epsilon: float) -> Make:
    """Outcomes from likely to very rare, each e^epsilon times as likely for one input, alternately."""
    base = 2.0 ** -np.arange(1, 13)

    def make(rng):
        laws = []
        for parity in (0, 1):
            law = base * np.where(np.arange(12) % 2 == parity, math.exp(epsilon), 1.0)
            laws.append(np.append(law, 0.0) / (base * math.exp(epsilon)).sum())
            laws[-1][12] = 1 - laws[-1].sum()
        return lambda x: int(rng.choice(13, p=laws[int(x)]))

    return make


def leaking(delta: float) -> Make:
    """Shows the input with probability delta and is silent otherwise."""
    return lambda rng: lambda x: x if rng.random() < delta else None


FUNCTIONS: list[tuple[Make, Guarantee, tuple[Any, Any]]] = [
    *((response(2, e), local_privacy(e, unit=WORD), (0, 1)) for e in (0.0, 0.2, 1.0, 3.0)),
    *((response(40, e), local_privacy(e, unit=WORD), (0, 1)) for e in (0.2, 1.0, 3.0)),
    (response(2000, 2.0), local_privacy(2.0, unit=WORD), (0, 1)),
    *((laplace(1 / e), line(e), (np.zeros(1), np.ones(1))) for e in (0.1, 1.0, 2.0, 5.0)),
    (laplace(1.0), local_privacy(1.0, unit=WORD), (0.0, 1.0)),
    (laplace(32 / 1.0), local_privacy(1.0, unit=WORD), (np.zeros(32), np.ones(32))),
    *((geometric(e), local_privacy(e, unit=WORD), (0, 1)) for e in (0.1, 1.0, 2.0)),
    *(
        (normal(e, d), local_privacy(e, delta=d, unit=WORD), (0.0, 1.0))
        for e, d in ((1.0, 0.1), (0.5, 0.01), (3.0, 0.05))
    ),
    (normal(1.0, 0.1), local_privacy(1.0, delta=0.1, unit=WORD), (np.zeros(4), np.full(4, 0.5))),
    *((rare(e), local_privacy(e, unit=WORD), (0, 1)) for e in (0.5, 1.0)),
    *((leaking(d), local_privacy(0.0, delta=d, unit=WORD), ("a", "b")) for d in (0.01, 0.3)),
    (lambda rng: lambda x: 0, local_privacy(0.0, unit=WORD), (0, 1)),
    (lambda rng: lambda x: "always the same", local_privacy(0.5, unit=WORD), ("a", "b")),
    (lambda rng: lambda x: rng.normal(size=3), local_privacy(0.0, unit=WORD), (0, 1)),
    (lambda rng: lambda x: float("nan"), local_privacy(0.1, unit=WORD), (0, 1)),
]


@cache
def mechanisms() -> list[tv.Mechanism]:
    words = clustered_vocabulary(60, 3, clusters=6)
    candidates = tv.Candidates(np.random.default_rng(0).normal(size=(20, 3)))
    return [
        *(tv.Laplace(epsilon=e, dimension=d) for e, d in ((1.0, 1), (0.2, 2), (3.0, 3))),
        tv.Laplace(epsilon=1.0, dimension=3, delta=1e-3, sensitivity=1.0),
        tv.Laplace(epsilon=2.0, dimension=3, normalise=True),
        tv.Gaussian(epsilon=1.0, delta=1e-2, sensitivity=1.0, dimension=2),
        tv.Mahalanobis(np.diag([1.0, 4.0]), epsilon=1.0),
        tv.CoordinateLaplace(epsilon=1.0, dimension=3),
        *(tv.ClippedLaplace(epsilon=1.0, clip=1.0, dimension=4, variant=v) for v in ("l1", "corrected", "radial")),
        tv.PrivUnit(epsilon=1.0, dimension=4),
        tv.PrivUnit(epsilon=3.0, dimension=4, domain="sphere"),
        tv.HyperbolicLaplace(epsilon=3.0, dimension=2),
        tv.HyperbolicLaplace(epsilon=1.0, dimension=2, variant="lebesgue"),
        tv.PrivEmb(epsilon=1.0, dimension=6, target=2),
        tv.Exponential(words, epsilon=1.0),
        tv.Exponential(words, epsilon=1.0, weights="tight"),
        tv.NearestWord(words, tv.Laplace(epsilon=2.0, dimension=3)),
        *(tv.Nadp(words, epsilon=1.0, delta=1e-3, variant=v) for v in ("word", "radius", "component")),
        tv.PublicResponse(candidates, epsilon=1.0),
        tv.DeepCandidate(candidates, epsilon=1.0, projections=10),
        tv.TruncatedMean(lower=-np.ones(2), upper=np.ones(2), epsilon=1.0),
        tv.AveragedPrivUnit(epsilon=1.0, dimension=3),
    ]


def audits_of(alpha: float, samples: int, *, functions: bool = True):
    """Yield whether each of many audits accused somebody, all of them wrongly."""
    seed = 0
    while True:
        for make, claim, pair in FUNCTIONS if functions else []:
            function = make(np.random.default_rng(seed))
            yield black_box_findings(function, claim, [(*pair, None)], alpha=alpha, samples=samples)
            seed += 1
        for mechanism in mechanisms():
            source = tv.RandomSource.seeded(seed)
            findings = distribution_findings(mechanism, alpha=alpha / 2, samples=samples, source=source)
            pairs = pairs_for(mechanism)[:2]
            yield findings + black_box_findings(
                mechanism, mechanism.guarantee, pairs, alpha=alpha / 2, samples=samples, source=source
            )
            seed += 1


def accusations(found) -> int:
    return sum(any(each.verdict is Verdict.VIOLATED or each.contradicts for each in findings) for findings in found)


def most_by_chance(audits: int, alpha: float) -> int:
    """As many accusations as more than come about with probability 1e-6."""
    return int(stats.binom.isf(FALSE_ALARM, audits, alpha))


def test_correct_mechanisms_are_not_accused():
    assert len(FUNCTIONS) + len(mechanisms()) >= 50
    assert accusations(islice(audits_of(1e-3, 200), 60)) <= most_by_chance(60, 1e-3)


@pytest.mark.parametrize(("words", "epsilon"), [(2, 1.0), (40, 0.2)])
def test_a_promise_that_is_just_kept_is_accused_as_often_as_alpha_allows(words, epsilon):
    """At a tenth: what inflates false alarms is seen here, and the test is not idle."""
    claim = local_privacy(epsilon, unit=WORD)
    found = (
        black_box_findings(
            response(words, epsilon)(np.random.default_rng(seed)), claim, [(0, 1, None)], alpha=0.1, samples=120
        )
        for seed in range(60)
    )
    assert accusations(found) <= most_by_chance(60, 0.1)


def test_the_low_bits_of_floats_do_not_pass_for_a_wrong_law():
    """Laplace noise of numpy tells 0 from 1 by its last bits, which is for the checks to say: its law is right."""
    claim = local_privacy(1.0, unit=WORD)
    found = (
        black_box_findings(
            laplace(1.0)(np.random.default_rng(seed)), claim, [(0.0, 1.0, None)], alpha=1e-3, samples=1000
        )
        for seed in range(12)
    )
    assert accusations(found) == 0


def test_an_epsilon_that_is_wrong_by_a_third_is_seen_by_the_same_audit():
    claim = local_privacy(1.0, unit=WORD)
    found = (
        black_box_findings(
            response(2, 1.3)(np.random.default_rng(seed)), claim, [(0, 1, None)], alpha=1e-3, samples=4000
        )
        for seed in range(5)
    )
    assert accusations(found) == 5


@pytest.mark.soak
def test_a_thousand_audits_of_correct_mechanisms_accuse_no_more_than_chance():
    assert accusations(islice(audits_of(1e-3, 1000), 1000)) <= most_by_chance(1000, 1e-3)
