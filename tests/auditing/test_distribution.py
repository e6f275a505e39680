"""A sampler that is off is seen, with few outputs, and one that follows its law is left alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.conftest import clustered_vocabulary

import textveil as tv
from textveil.auditing import AuditReport, Finding, Method, Verdict
from textveil.auditing.distribution import distribution_findings
from textveil.auditing.returned import returned_finding

WORDS = clustered_vocabulary(300, 4)
CANDIDATES = tv.Candidates(np.random.default_rng(0).normal(size=(30, 4)))
FALSE_ALARM = 1e-6


class Off:
    """The noise of a mechanism, times a number, around the same centre."""

    factor = 1 / 1.3

    def _draw(self, streams):
        return np.rint(super()._draw(streams) * self.factor).astype(np.int64)


class OffLaplace(Off, tv.Laplace):
    pass


class LoudLaplace(Off, tv.Laplace):
    factor = 1.3


class OffGaussian(Off, tv.Gaussian):
    pass


class OffClippedLaplace(Off, tv.ClippedLaplace):
    pass


class OffCoordinateLaplace(Off, tv.CoordinateLaplace):
    pass


class OneWayLaplace(tv.Laplace):
    """Norms are right, but all noise is along the first axis."""

    def _draw(self, streams):
        drawn = super()._draw(streams)
        along = np.zeros_like(drawn)
        along[:, 0] = np.rint(np.linalg.norm(drawn.astype(float), axis=1))
        return along


class LopsidedLaplace(tv.Laplace):
    """Norms are right, but coordinates are never negative."""

    def _draw(self, streams):
        return np.abs(super()._draw(streams))


class StickyExponential(tv.Exponential):
    """Gives a word a second chance to stay."""

    def _sample(self, items, streams):
        again = super()._sample(items, streams)
        return np.where(again % 3 == 0, items, again)


class EagerPrivUnit(tv.PrivUnit):
    """Draws for a larger epsilon than it says, scaled as it should be."""

    def _sample(self, items, streams):
        eager = tv.PrivUnit(epsilon=1.5 * self.epsilon, dimension=self.dimension, domain=self.domain)
        return eager._sample(items, streams) / eager._scale * self._scale


class NearHyperbolic(tv.HyperbolicLaplace):
    """Draws for a larger epsilon than it says."""

    def _sample(self, items, streams):
        return tv.HyperbolicLaplace(epsilon=1.3 * self.epsilon, dimension=self.dimension)._sample(items, streams)


KEPT = {
    "laplace": tv.Laplace(epsilon=2.0, dimension=5),
    "laplace of one number": tv.Laplace(epsilon=2.0, dimension=1),
    "laplace, exact": tv.Laplace(epsilon=2.0, dimension=3, precision="exact"),
    "laplace with delta": tv.Laplace(epsilon=1.0, dimension=8, delta=1e-5, sensitivity=1.0),
    "gaussian": tv.Gaussian(epsilon=1.0, delta=1e-3, sensitivity=1.0, dimension=4),
    "mahalanobis": tv.Mahalanobis(np.diag([1.0, 4.0, 9.0]), epsilon=2.0),
    "coordinates": tv.CoordinateLaplace(epsilon=1.0, dimension=4),
    "clipped": tv.ClippedLaplace(epsilon=1.0, clip=2.0, dimension=6),
    "clipped in l1": tv.ClippedLaplace(epsilon=1.0, clip=2.0, dimension=6, variant="l1"),
    "published": tv.ClippedLaplace(epsilon=1.0, clip=2.0, dimension=6, variant="published"),
    "sphere": tv.PrivUnit(epsilon=2.0, dimension=8, domain="sphere"),
    "ball": tv.PrivUnit(epsilon=2.0, dimension=8, clip=3.0),
    "beta": tv.PrivUnit(epsilon=12.0, dimension=20, sampler="beta"),
    "hyperbolic": tv.HyperbolicLaplace(epsilon=4.0, dimension=2),
    "operator": tv.PrivEmb(epsilon=2.0, dimension=12, target=4),
    "secants": tv.PrivEmb(epsilon=2.0, dimension=4, target=2, public=WORDS),
    "words": tv.Exponential(WORDS, epsilon=1.0),
    "noise on words": tv.NearestWord(WORDS, tv.Laplace(epsilon=2.0, dimension=4)),
    "word vectors": tv.WordVector(WORDS, tv.Laplace(epsilon=2.0, dimension=4)),
    "texts": tv.TextRewriter(tv.Exponential(WORDS, epsilon=1.0)),
    "nadp, radius": tv.Nadp(WORDS, epsilon=1.0, delta=1e-3, variant="radius"),
    "nadp, word": tv.Nadp(WORDS, epsilon=1.0),
    "response": tv.PublicResponse(CANDIDATES, epsilon=2.0, nearest=4),
    "depth": tv.DeepCandidate(CANDIDATES, epsilon=2.0),
    "box": tv.TruncatedMean(lower=-np.ones(3), upper=np.ones(3), epsilon=1.0),
    "means": tv.GaussianMean(epsilon=1.0, delta=1e-3, dimension=3),
    "averages": tv.AveragedPrivUnit(epsilon=2.0, dimension=5),
}


def findings_of(mechanism, *, samples=1000, alpha=FALSE_ALARM, seed=0):
    return distribution_findings(mechanism, alpha=alpha, samples=samples, source=tv.RandomSource.seeded(seed))


@pytest.mark.parametrize("name", KEPT)
def test_a_sampler_that_follows_its_law_is_left_alone(name):
    findings = findings_of(KEPT[name])
    assert findings
    assert {finding.verdict for finding in findings} == {Verdict.NOT_CERTIFIABLE}
    assert not any(finding.contradicts for finding in findings)
    assert sum(finding.alpha for finding in findings) <= FALSE_ALARM * (1 + 1e-9)


@pytest.mark.parametrize(
    "mechanism",
    [
        OffLaplace(epsilon=2.0, dimension=5),
        OffLaplace(epsilon=1.0, dimension=8, delta=1e-5, sensitivity=1.0),
        OffGaussian(epsilon=1.0, delta=1e-3, sensitivity=1.0, dimension=4),
        OffClippedLaplace(epsilon=1.0, clip=2.0, dimension=6),
        OffClippedLaplace(epsilon=1.0, clip=2.0, dimension=6, variant="corrected"),
        OffCoordinateLaplace(epsilon=1.0, dimension=4),
        OneWayLaplace(epsilon=2.0, dimension=5),
        StickyExponential(WORDS, epsilon=1.0),
        EagerPrivUnit(epsilon=2.0, dimension=8, domain="sphere"),
        EagerPrivUnit(epsilon=2.0, dimension=8),
        NearHyperbolic(epsilon=4.0, dimension=2),
    ],
    ids=lambda mechanism: f"{type(mechanism).__name__} {getattr(mechanism, 'variant', '')}".strip(),
)
def test_less_noise_than_the_law_has_is_a_violation(mechanism):
    findings = findings_of(mechanism, samples=2000)
    assert Verdict.VIOLATED in {finding.verdict for finding in findings}


@pytest.mark.parametrize(
    "mechanism", [LoudLaplace(epsilon=2.0, dimension=5), LopsidedLaplace(epsilon=2.0, dimension=4)]
)
def test_any_other_difference_is_no_violation_but_takes_the_certificate_away(mechanism):
    findings = findings_of(mechanism)
    assert {finding.verdict for finding in findings} == {Verdict.NOT_CERTIFIABLE}
    assert all(finding.contradicts for finding in findings)
    assert "differs from its law" in findings[0].explanation
    proved = Finding(name="law", method=Method.ANALYTIC, verdict=Verdict.HOLDS, explanation="")
    report = AuditReport(subject="x", claim=mechanism.guarantee, findings=(proved, *findings))
    assert report.verdict is Verdict.NOT_CERTIFIABLE
    assert report.deciding is findings[0]


def test_half_the_noise_is_seen_in_one_output_of_300_numbers():
    class HalfLaplace(Off, tv.Laplace):
        factor = 0.5

    findings = findings_of(HalfLaplace(epsilon=1.0, dimension=300), samples=2)
    assert [finding.verdict for finding in findings] == [Verdict.VIOLATED] * 2
    assert [finding.samples for finding in findings] == [1, 1]
    assert all(1.0 < finding.bound < 2.0 for finding in findings)


def test_no_bound_is_above_the_true_epsilon():
    for seed in range(5):
        for finding in findings_of(OffLaplace(epsilon=2.0, dimension=5), samples=4000, alpha=1e-3, seed=seed):
            assert 2.0 < finding.bound <= 2.0 * 1.3


def test_what_a_class_of_ones_own_does_in_its_own_release_accuses_nobody_around_it():
    class Leaky(tv.Exponential):
        def _wrap(self, outputs, private):
            return list(private)

    findings = findings_of(tv.TextRewriter(Leaky(WORDS, epsilon=1.0)))
    assert findings
    assert {finding.verdict for finding in findings} == {Verdict.NOT_CERTIFIABLE}
    assert {finding.verdict for finding in findings_of(Leaky(WORDS, epsilon=1.0))} == {Verdict.VIOLATED}


def test_too_little_noise_in_a_class_of_ones_own_accuses_what_is_around_it():
    class Little(tv.Laplace):
        def _sample(self, items, streams):
            return items + 0.5 * (super()._sample(items, streams) - items)

    rng = np.random.default_rng(0)
    vocabulary = tv.Vocabulary([f"w{number}" for number in range(200)], rng.normal(size=(200, 64)), unknown="w0")
    little = Little(epsilon=2.0, dimension=64)
    nearest = tv.NearestWord(vocabulary, little)
    for around in (nearest, tv.WordVector(vocabulary, little), tv.TextRewriter(nearest)):
        assert Verdict.VIOLATED in {finding.verdict for finding in findings_of(around)}


def test_one_word_that_comes_back_exactly_is_enough():
    vocabulary = clustered_vocabulary(2000, 4, clusters=200)
    half = np.repeat([0.0, 3.0], 1000)
    nadp = tv.Nadp(vocabulary, epsilon=1.0, delta=1e-4, variant="published", sensitivities=half)
    verdicts = []
    for seed in range(8):
        finding = returned_finding(nadp, nadp.guarantee, alpha=0.01, words=1, source=tv.RandomSource.seeded(seed))
        assert finding.samples == 1
        verdicts.append(finding.verdict)
        assert (finding.verdict is Verdict.VIOLATED) == (
            finding.witness is not None and finding.witness.pair[0] in nadp.zero_noise_words
        )
    assert 2 <= verdicts.count(Verdict.VIOLATED) <= 6


def test_a_word_may_come_back_where_the_promise_allows_it():
    nadp = tv.Nadp(WORDS, epsilon=4.0)
    finding = returned_finding(nadp, nadp.guarantee, alpha=0.01, source=tv.RandomSource.seeded(0))
    assert finding.verdict is Verdict.NOT_CERTIFIABLE
    assert not finding.explanation.startswith("0 of")
    assert math.isnan(finding.bound)


def test_a_law_that_is_not_known_gives_no_findings():
    assert findings_of(tv.Laplace(epsilon=4.0, dimension=3, normalise=True)) == []
    assert findings_of(tv.HyperbolicLaplace(epsilon=4.0, dimension=2, variant="lebesgue")) == []
