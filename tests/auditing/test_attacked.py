"""Nothing is certified in terms that were not computed, nor for a class that may not sample the law it declares."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import textveil as tv
from textveil.auditing import Method
from textveil.auditing.comparable import is_ours
from textveil.auditing.distribution import distribution_findings
from textveil.auditing.metrics import norm_of, rounding_of
from textveil.guarantees import local_privacy, metric_privacy
from textveil.mechanisms.words import WordMechanism
from textveil.text.protection import AllBut, EveryWord

RNG = np.random.default_rng(4)
WORDS = tv.Vocabulary([f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(80)], RNG.normal(size=(80, 3)))
EXPONENTIAL = tv.Exponential(WORDS, epsilon=1.0)
LAPLACE = tv.Laplace(epsilon=1.0, dimension=3, precision="exact")
COMPUTED = ["exact", "analytic"]


def seeded():
    return tv.RandomSource.seeded(5)


def by(metric, promise, **more):
    """The same promise by another distance."""
    return replace(promise, relation=replace(promise.relation, metric=metric, **more))


def verdict(mechanism, claim=None, methods=COMPUTED):
    return tv.audit(mechanism, claim=claim, methods=methods, source=seeded()).verdict


# -- the terms of a claim -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "norm"),
    [
        ("Euclidean distance", "Euclidean"),
        ("Euclidean distance of 1,234 public word vectors", "Euclidean"),
        ("Euclidean distance of vectors rounded to multiples of 2^-20", "Euclidean"),
        ("l1 distance of the vectors", "l1"),
        ("hyperbolic distance (Poincaré ball, curvature -1)", "hyperbolic"),
        ("Euclidean distance divided by 100", ""),
        ("Euclidean nearest-neighbour graph", ""),
        ("l10 norm", ""),
        ("cosine distance", ""),
        ("", ""),
    ],
)
def test_only_whole_names_of_distances_are_known(metric, norm):
    assert norm_of(metric) == norm
    assert bool(rounding_of(metric)) == ("rounded" in metric)


@pytest.mark.parametrize("metric", ["cosine distance (1 - cos)", "l10 norm", "Euclidean distance divided by 100"])
@pytest.mark.parametrize(
    "mechanism",
    [
        EXPONENTIAL,
        LAPLACE,
        tv.NearestWord(WORDS, LAPLACE),
        tv.WordVector(WORDS, LAPLACE),
        tv.TextEmbedder(LAPLACE, encoder=tv.AveragedWords(WORDS)),
        tv.TextRewriter(EXPONENTIAL),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_another_distance_is_neither_certified_nor_accused(mechanism, metric):
    assert verdict(mechanism) == "holds"
    report = tv.audit(mechanism, claim=by(metric, mechanism.guarantee), methods=COMPUTED)
    assert report.verdict == "not certifiable"
    assert "another distance" in report.findings[0].explanation


def test_another_unit_or_graph_or_no_condition_is_not_certified():
    means = tv.AveragedPrivUnit(epsilon=2.0, dimension=3)
    edges = tv.Relation(pairs=tv.Pairs.EDGES, metric="Euclidean nearest-neighbour graph")
    consistent = tv.TextRewriter(EXPONENTIAL, consistent=True)
    table = tv.PrivEmb(epsilon=1.0, dimension=3, target=2, public=WORDS)
    for mechanism, claim, told in (
        (means, replace(means.guarantee, unit=tv.Unit.DOCUMENT), "another unit"),
        (LAPLACE, tv.Guarantee(epsilon=1.0, unit=tv.Unit.VECTOR, relation=edges), "another graph"),
        (consistent, tv.TextRewriter(EXPONENTIAL).guarantee, "another condition"),
        (table, by(table.guarantee.relation.metric, table.guarantee, condition=""), "another condition"),
    ):
        assert verdict(mechanism) == "holds"
        report = tv.audit(mechanism, claim=claim, methods=COMPUTED)
        assert report.verdict == "not certifiable"
        assert told in report.findings[0].explanation


def test_a_claim_that_promises_less_in_the_same_terms_holds():
    own = LAPLACE.guarantee
    assert verdict(LAPLACE, replace(own, epsilon=1.5)) == "holds"
    assert verdict(EXPONENTIAL, by("Euclidean distance", EXPONENTIAL.guarantee)) == "holds"
    assert verdict(EXPONENTIAL, by("Euclidean distance", replace(EXPONENTIAL.guarantee, epsilon=0.5))) == "violated"
    each = tv.CoordinateLaplace(epsilon=1.0, dimension=4)
    rounded = f"Euclidean distance{rounding_of(each.guarantee.relation.metric)}"
    assert verdict(each, replace(by(rounded, each.guarantee), epsilon=2.001)) == "holds"
    assert verdict(each, replace(by(rounded, each.guarantee), epsilon=1.999)) == "violated"


def test_two_near_vectors_may_be_rounded_apart():
    own = LAPLACE.guarantee
    step = LAPLACE.lattice.step
    near = LAPLACE.lattice.snap(np.array([[0.499 * step] * 3, [0.501 * step] * 3]))
    assert (near[0] != near[1]).all()
    assert verdict(LAPLACE, by("Euclidean distance", own)) == "not certifiable"
    assert verdict(LAPLACE, by("Euclidean distance", replace(own, epsilon=0.5))) == "violated"


def test_inputs_that_are_any_distance_apart_need_all_of_delta():
    finding = tv.audit(LAPLACE, claim=local_privacy(1.0, delta=1e-6, unit=tv.Unit.VECTOR), methods=COMPUTED)
    assert finding.verdict == "violated"
    assert finding.bound == math.inf


def test_a_claim_of_mu_holds_only_where_mu_is_known():
    assert verdict(LAPLACE, replace(LAPLACE.guarantee, mu=1e-3)) == "not certifiable"
    means = tv.GaussianMean(epsilon=1.0, delta=1e-5, dimension=3)
    mu = 2 * means.clip / means.noise._deviation
    assert verdict(means, replace(means.guarantee, mu=mu * 0.99)) == "not certifiable"
    assert verdict(means, replace(means.guarantee, mu=mu * 1.01)) == "holds"


def test_noise_by_word_is_not_judged_at_one_epsilon_for_all_distances():
    jaccard = tv.Jaccard(WORDS, epsilon=1.0, delta=0.05, neighbours=5)
    claim = metric_privacy(1.0, metric="Euclidean distance", unit=tv.Unit.WORD, delta=0.999)
    assert verdict(jaccard, claim) == "not certifiable"


# -- words that are left out --------------------------------------------------------------------------------


class Nothing(EveryWord):
    """Protects no word, and says nothing of it."""

    def mask(self, text, words, lookup):
        return np.zeros(len(words), dtype=bool)


def test_words_that_are_left_out_must_be_named():
    protect = AllBut(tuple(WORDS.words[:9]))
    rewriter = tv.TextRewriter(EXPONENTIAL, protect=protect)
    assert verdict(rewriter) == "holds"
    silent = tv.TextRewriter(EXPONENTIAL).guarantee
    assert verdict(rewriter, silent, methods=None) != "holds"
    assert verdict(tv.TextRewriter(EXPONENTIAL, case="keep"), silent) == "not certifiable"
    assert tv.audit(tv.TextRewriter(EXPONENTIAL, protect=Nothing()), source=seeded()).verdict != "holds"


# -- whose law it is ----------------------------------------------------------------------------------------


class Louder(tv.Exponential):
    """Releases with four times the epsilon."""

    def release(self, private, *, source=None):
        return tv.Exponential(self.vocabulary, epsilon=4 * self.epsilon).release(private, source=source)


class LouderText(tv.TextRewriter):
    def release(self, private, *, source=None, spans=None):
        return tv.TextRewriter(tv.Exponential(WORDS, epsilon=4.0)).release(private, source=source)


class Bare(tv.Laplace):
    """No noise far from zero."""

    def _sample(self, items, streams):
        far = np.linalg.norm(items, axis=1) > 10
        return np.where(far[:, None], items, super()._sample(items, streams))


class Declares(WordMechanism):
    """Declares one law and samples another."""

    vocabulary, guarantee = WORDS, EXPONENTIAL.guarantee

    def spec(self):
        return {"mechanism": "Declares"}

    def transition_rows(self, ids):
        return EXPONENTIAL.transition_rows(ids)

    def _sample(self, items, streams):
        return tv.Exponential(WORDS, epsilon=4.0)._sample(items, streams)


STRANGERS = {
    "release": lambda: Louder(WORDS, epsilon=1.0),
    "text": lambda: LouderText(EXPONENTIAL),
    "inside": lambda: tv.TextRewriter(Louder(WORDS, epsilon=1.0)),
    "some inputs": lambda: Bare(epsilon=1.0, dimension=3, precision="exact"),
    "nearest": lambda: tv.NearestWord(WORDS, Bare(epsilon=1.0, dimension=3, precision="exact")),
    "declared": Declares,
}


@pytest.mark.parametrize("make", STRANGERS.values(), ids=STRANGERS)
def test_a_law_that_is_only_declared_is_not_certified(make):
    mechanism = make()
    assert not is_ours(mechanism)
    report = tv.audit(mechanism, source=seeded(), samples=2000, checks=False)
    assert report.verdict != "holds"
    assert Method.BLACK_BOX in {finding.method for finding in report.findings}


@pytest.mark.parametrize("make", [STRANGERS["release"], STRANGERS["declared"]])
def test_what_is_released_is_compared_with_the_rows_that_are_declared(make):
    """At the level 1e-6; with the rows of what is sampled nothing is found."""
    found = distribution_findings(make(), alpha=1e-6, samples=2000, source=seeded())
    assert any(finding.verdict == "violated" for finding in found)
    fair = distribution_findings(EXPONENTIAL, alpha=1e-6, samples=2000, source=seeded())
    assert not any(finding.verdict == "violated" or finding.contradicts for finding in fair)


def test_a_replaced_method_is_not_the_librarys():
    mechanism = tv.Laplace(epsilon=1.0, dimension=3, precision="exact")
    assert is_ours(mechanism)
    mechanism.__dict__["_draw"] = lambda streams: 0
    assert not is_ours(mechanism)


def test_the_rows_that_words_are_drawn_by_count():
    mechanism = tv.Exponential(WORDS, epsilon=1.0)
    mechanism.__dict__["_rows"] = tv.Exponential(WORDS, epsilon=4.0)._rows
    assert verdict(mechanism) == "violated"


# -- less noise than the law has, under another claim -------------------------------------------------------


class Half(tv.Laplace):
    def _draw(self, streams):
        return super()._draw(streams) // 2


def test_too_little_noise_for_the_law_accuses_only_of_what_was_claimed():
    half = Half(epsilon=1.0, dimension=3, precision="exact")
    for epsilon, expected in ((2.2, "not certifiable"), (1.2, "violated")):
        claim = replace(half.guarantee, epsilon=epsilon)
        found = distribution_findings(half, claim=claim, alpha=1e-6, samples=4000, source=seeded())
        assert {finding.verdict for finding in found} == {expected}
    assert verdict(half, replace(half.guarantee, epsilon=2.2), methods=None) == "not certifiable"


def test_words_may_come_back_where_delta_allows_it():
    nadp = tv.Nadp(WORDS, epsilon=1.0, delta=1e-3, variant="published")
    claim = local_privacy(1.0, delta=math.nextafter(1.0, 0.0), unit=tv.Unit.WORD)
    found = distribution_findings(nadp, claim=claim, alpha=0.01, source=seeded())
    assert not any(finding.verdict == "violated" for finding in found)


def test_own_inputs_are_as_far_apart_as_the_claim_counts():
    """The Euclidean claim is true; by Mahalanobis distance, in which the pairs were made, it would look broken."""
    mechanism = tv.Mahalanobis(np.diag([1.9, 0.1]), epsilon=1.0, mix=1.0)
    narrowest = math.sqrt(np.linalg.eigvalsh(mechanism.matrix)[0])
    claim = by("Euclidean distance", replace(mechanism.guarantee, epsilon=1.001 / narrowest))
    report = tv.audit(mechanism, claim=claim, methods="black box", source=seeded(), samples=500)
    for finding in report.findings:
        first, second = map(np.array, finding.witness.pair)
        assert finding.witness.distance == pytest.approx(np.linalg.norm(first - second))
