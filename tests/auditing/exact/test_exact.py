"""Exact audits find the largest loss there is, with the pair and the output that have it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import textveil as tv
from textveil.auditing.exact import exact_finding
from textveil.auditing.exact.boosted import boosted_law
from textveil.auditing.exact.choices import exponential_loss, flip_loss
from textveil.auditing.exact.integers import weights_of, worst_output
from textveil.auditing.exact.normalised import normalised_law
from textveil.auditing.exact.tables import brute_force
from textveil.guarantees import local_privacy, metric_privacy
from textveil.mechanisms.deep_candidate.law import exponential_law, permute_and_flip_law
from textveil.spaces import Poincare

LINE = tv.Vocabulary(list("abcd"), np.array([[0.0], [1.0], [3.0], [7.0]]), unknown="a")
DISC = tv.Vocabulary(list("abc"), np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.9]]), unknown="a", space=Poincare(2))
GOLDEN = [
    (LINE, 0.25, 0.3316858653512198),
    (LINE, 0.5, 0.5877497978417445),
    (LINE, 1.0, 1.112035560626784),
    (DISC, 0.5, 0.5849415053),
    (DISC, 1.0, 1.0834101462),
]


def exponential(vocabulary, rate, *, epsilon=None, **more):
    """The law with this rate, whatever calibration would choose."""
    mechanism = tv.Exponential(vocabulary, epsilon=epsilon or 2 * rate, calibrated=False, **more)
    mechanism._keep(law=replace(mechanism.law, rate=rate))
    return mechanism


class Known:
    """A law that is known by its rows alone."""

    def __init__(self, rows, vocabulary=None):
        self._rows = np.asarray(rows, dtype=np.float64)
        if vocabulary is not None:
            self.vocabulary = vocabulary

    def transition_rows(self, ids):
        return self._rows[ids]

    def transition_matrix(self):
        return self._rows


def by_distance(epsilon, **more):
    return metric_privacy(epsilon, metric="Euclidean distance", unit=tv.Unit.WORD, **more)


def within_three(epsilon):
    relation = tv.Relation(pairs=tv.Pairs.WITHIN, metric="Euclidean distance", radius=3.0)
    return tv.Guarantee(epsilon=epsilon, unit=tv.Unit.WORD, relation=relation)


def response(epsilon, count):
    """Randomised response, which uses all of its epsilon."""
    rows = np.ones((count, count)) + np.eye(count) * math.expm1(epsilon)
    return rows / rows.sum(axis=1, keepdims=True)


# -- golden values ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("vocabulary", "rate", "loss"), GOLDEN)
def test_half_of_epsilon_is_certified_at_the_golden_loss(vocabulary, rate, loss):
    mechanism = exponential(vocabulary, rate)
    finding = exact_finding(mechanism, mechanism.guarantee)
    assert finding.verdict == "holds"
    assert finding.bound == pytest.approx(loss, abs=1e-9)
    by_normalisers = normalised_law(mechanism, mechanism.guarantee)
    assert by_normalisers.bound == pytest.approx(loss, abs=1e-9)
    assert brute_force(mechanism, mechanism.guarantee).bound == pytest.approx(loss, abs=1e-9)


@pytest.mark.parametrize("audit", [exact_finding, normalised_law, brute_force])
@pytest.mark.parametrize(("vocabulary", "rate", "loss"), GOLDEN)
def test_a_rate_of_all_epsilon_is_caught_with_a_witness(vocabulary, rate, loss, audit):
    mechanism = exponential(vocabulary, rate, epsilon=rate)
    finding = audit(mechanism, mechanism.guarantee)
    assert finding.verdict == "violated"
    assert finding.bound == pytest.approx(loss, abs=1e-9)
    witness = finding.witness
    assert witness.loss == pytest.approx(loss * witness.distance, abs=1e-9)
    assert witness.claimed == pytest.approx(rate * witness.distance)
    first, second = vocabulary.ids(witness.pair)
    output = vocabulary.ids([witness.event.split("'")[1]])[0]
    rows = mechanism.transition_matrix()
    assert math.log(rows[first, output] / rows[second, output]) == pytest.approx(witness.loss, abs=1e-9)


# -- the three ways agree, and none trusts a certificate ----------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"radius": 2.0}, {"weights": "tight"}, {"calibrated": False}])
def test_normalisers_say_what_every_triple_says(clustered, options):
    mechanism = tv.Exponential(clustered.subset(150), epsilon=1.5, **options)
    triples = brute_force(mechanism, mechanism.guarantee)
    assert triples.verdict == exact_finding(mechanism, mechanism.guarantee).verdict == "holds"
    if mechanism.law.row_boosts is None:
        assert normalised_law(mechanism, mechanism.guarantee).bound == pytest.approx(triples.bound, rel=1e-9)


def test_a_forged_certificate_is_not_believed(clustered):
    mechanism = tv.Exponential(clustered, epsilon=1.0)
    zeros = np.zeros(len(clustered))
    mechanism._keep(law=replace(mechanism.law, rate=1.0, loss=1.0, certified=True, log_normalisers=zeros))
    finding = exact_finding(mechanism, mechanism.guarantee)
    assert finding.verdict == "violated"
    assert finding.bound > 1.2


RELATIONS = {
    "metric": by_distance(1.0),
    "offset": by_distance(1.0, offset=0.3),
    "radius": by_distance(1.0, radius=2.0),
    "any": local_privacy(1.0, unit=tv.Unit.WORD),
    "within": within_three(1.0),
}


@pytest.mark.parametrize("audit", [exact_finding, normalised_law, brute_force])
@pytest.mark.parametrize("claim", RELATIONS.values(), ids=RELATIONS)
def test_every_relation_is_compared_as_the_guarantee_has_it(claim, audit):
    mechanism = exponential(LINE, 0.5)
    logs, points = np.log(mechanism.transition_matrix()), [0.0, 1.0, 3.0, 7.0]

    def is_kept(epsilon):
        promise = replace(claim, epsilon=epsilon)
        pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
        return all((logs[i] - logs[j]).max() <= promise.loss(abs(points[i] - points[j])) for i, j in pairs)

    epsilons = np.linspace(0.01, 8.0, 800)
    least = min(epsilon for epsilon in epsilons if is_kept(epsilon))
    assert audit(mechanism, replace(claim, epsilon=least)).verdict == "holds"
    broken = audit(mechanism, replace(claim, epsilon=least - 0.01))
    assert broken.verdict == "violated"
    assert least - 0.01 < broken.bound <= least
    assert broken.witness.loss > broken.witness.claimed


def test_a_covering_law_is_bounded_over_all_triples():
    points = np.random.default_rng(1).normal(size=(120, 20))
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(120)], points, unknown="w0")
    mechanism = tv.Exponential(vocabulary, epsilon=0.8, weights="tight")
    assert mechanism.law.row_boosts.max() > 1.01
    bounded = boosted_law(mechanism, mechanism.guarantee)
    truth = exact_finding(mechanism, mechanism.guarantee)
    assert bounded.verdict == truth.verdict == "holds"
    assert truth.bound <= bounded.bound <= 0.8
    law = mechanism.law
    mechanism._keep(law=replace(law, row_boosts=np.where(np.arange(120) == 7, 3 * law.row_boosts, law.row_boosts)))
    assert boosted_law(mechanism, mechanism.guarantee).verdict == "not certifiable"


def test_words_at_one_point_must_have_one_law():
    twins = tv.Vocabulary(["a", "b", "c"], np.array([[0.0], [0.0], [1.0]]), unknown="a")
    fair = exponential(twins, 0.5)
    assert exact_finding(fair, fair.guarantee).verdict == "holds"
    rows = fair.transition_matrix()
    assert brute_force(Known(rows, twins), by_distance(1.0)).verdict == "holds"
    rows[0] = [0.5, 0.3, 0.2]
    finding = brute_force(Known(rows, twins), by_distance(1.0))
    assert finding.verdict == "violated"
    assert set(finding.witness.pair) == {"a", "b"}


# -- any law ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_randomised_response_at_exactly_its_claim_holds(epsilon):
    law = Known(response(epsilon, 7))
    finding = exact_finding(law, local_privacy(epsilon, unit=tv.Unit.WORD))
    assert finding.verdict == "holds"
    assert finding.bound == pytest.approx(epsilon, rel=1e-12)
    assert exact_finding(law, local_privacy(0.999 * epsilon, unit=tv.Unit.WORD)).verdict == "violated"
    assert exact_finding(law, by_distance(epsilon)) is None


def test_an_output_that_only_one_input_has_is_an_infinite_loss():
    finding = exact_finding(Known([[0.5, 0.5, 0.0], [0.4, 0.4, 0.2]]), local_privacy(50.0, unit=tv.Unit.WORD))
    assert finding.verdict == "violated"
    assert finding.witness.loss == finding.bound == math.inf
    assert finding.witness.pair == (1, 0)


def test_a_delta_is_the_mass_that_escapes_over_all_outputs():
    rows = [[0.5, 0.5, 0.0], [0.4, 0.59, 0.01]]
    claim = local_privacy(0.25, delta=0.0105, unit=tv.Unit.WORD)
    assert exact_finding(Known(rows), claim).verdict == "holds"
    less = exact_finding(Known(rows), replace(claim, delta=0.0095))
    assert less.verdict == "violated"
    assert "0.01" in less.explanation
    needed = exact_finding(Known(response(1.0, 2)), local_privacy(0.5, delta=0.1, unit=tv.Unit.WORD)).bound
    p, q = response(1.0, 2)[0]
    assert needed == pytest.approx(math.log((p - 0.1) / q))


def test_a_law_that_needs_no_delta_keeps_a_claim_with_one():
    mechanism = exponential(LINE, 0.5)
    assert exact_finding(mechanism, replace(mechanism.guarantee, delta=1e-3)).verdict == "holds"
    tighter = replace(mechanism.guarantee, epsilon=0.5, delta=1e-3)
    assert exact_finding(mechanism, tighter).verdict == "violated"
    assert exact_finding(mechanism, replace(tighter, delta=0.35)).verdict == "holds"


def test_rows_that_are_no_laws_are_refused_and_too_many_inputs_are_not_certified():
    claim = local_privacy(5.0, unit=tv.Unit.WORD)
    assert "no laws" in exact_finding(Known([[0.5, 0.4], [0.5, 0.5]]), claim).explanation
    many = exact_finding(Known(np.full((5000, 2), 0.5)), claim)
    assert many.verdict == "not certifiable"
    assert "5,000" in many.explanation


def test_only_joined_pairs_count_where_the_graph_is_known():
    law = Known([[0.5, 0.5], [0.5, 0.5], [0.9, 0.1]])
    edges = tv.Guarantee(epsilon=0.1, unit=tv.Unit.WORD, relation=tv.Relation(pairs=tv.Pairs.EDGES, metric="a graph"))
    assert exact_finding(law, edges).verdict == "not certifiable"
    law.graph = type("Graph", (), {"edges": np.array([[0, 1]])})
    assert exact_finding(law, edges).verdict == "holds"
    law.graph = type("Graph", (), {"edges": np.array([[1, 2]])})
    assert exact_finding(law, edges).verdict == "violated"


def test_blocks_of_rows_see_every_pair(monkeypatch):
    rng = np.random.default_rng(5)
    rows = rng.dirichlet(np.full(9, 5.0), size=40)
    logs = np.log(rows)
    truth = (logs[:, None] - logs[None]).max()
    monkeypatch.setattr("textveil.auditing.exact.tables._ENTRIES", 40 * 7)
    assert exact_finding(Known(rows), local_privacy(1.0, unit=tv.Unit.WORD)).bound == pytest.approx(truth, rel=1e-12)


def test_weights_of_a_row_are_those_that_are_drawn_by():
    mechanism = tv.Exponential(LINE, epsilon=1.0, radius=2.0)
    for row in mechanism._rows._rows(np.arange(4)):
        weights = weights_of(row, 4)
        assert sum(weights) == (int(row.total[0]) << 64) + int(row.total[1])
        assert np.array(weights) / sum(weights) == pytest.approx(mechanism.transition_rows(np.array([row.word]))[0])


def test_whole_weights_are_compared_without_rounding():
    huge = 2**126
    loss, output = worst_output([huge, huge + 1], [huge, huge], 2 * huge + 1, 2 * huge)
    assert output == 1
    assert loss == pytest.approx(2.0**-127)
    assert worst_output([1, 1], [0, 2], 2, 2) == (math.inf, 0)


# -- choices among candidates -------------------------------------------------------------------------------


@pytest.mark.parametrize(("law", "loss"), [(exponential_law, None), (permute_and_flip_law, flip_loss)])
@pytest.mark.parametrize("rate", [0.2, 1.0])
def test_lowering_one_score_is_the_worst_that_a_neighbour_can_do(law, loss, rate):
    """Over all scores of three candidates from 0 to 3, and all that differ from them by at most 1 in each."""
    laws = {scores: np.log(law(max(scores) - np.array(scores), rate)) for scores in product(range(-1, 5), repeat=3)}
    worst = max(
        float((laws[scores] - laws[tuple(np.add(scores, move))]).max())
        for scores in product(range(4), repeat=3)
        for move in product((-1, 0, 1), repeat=3)
    )
    expected = exponential_loss(2 * rate, 3, most=3 * rate) if loss is None else loss(2 * rate)
    assert worst == pytest.approx(expected, rel=1e-9)


@pytest.fixture(scope="module")
def candidates():
    return tv.Candidates(np.random.default_rng(2).normal(size=(40, 3)))


@pytest.mark.parametrize(
    "options", [{}, {"choose": "exponential"}, {"variant": "published"}, {"utility": "inner-product"}]
)
def test_a_candidate_is_chosen_at_exactly_epsilon(candidates, options):
    mechanism = tv.DeepCandidate(candidates, epsilon=1.5, projections=4, **options)
    finding = exact_finding(mechanism, mechanism.guarantee)
    assert finding.verdict == "holds"
    assert finding.bound == pytest.approx(1.5, rel=1e-9)
    smaller = exact_finding(mechanism, replace(mechanism.guarantee, epsilon=1.4))
    # The worst scores are not known to be those of any document.
    assert smaller.verdict == "not certifiable"
    assert smaller.bound == finding.bound
    assert exact_finding(mechanism, mechanism.guarantee_for(sentences=2)) is None


@pytest.mark.parametrize("epsilon", [1e-6, 2.0, 400.0])
def test_a_public_response_has_the_loss_of_its_coin(candidates, epsilon):
    mechanism = tv.PublicResponse(candidates, epsilon=epsilon, nearest=3)
    finding = exact_finding(mechanism, mechanism.guarantee)
    assert finding.verdict == "holds"
    assert finding.bound == pytest.approx(epsilon, rel=1e-12)
    assert exact_finding(mechanism, replace(mechanism.guarantee, epsilon=epsilon / 2)).verdict == "violated"
    alike = tv.PublicResponse(tv.Candidates(np.zeros((5, 3))), epsilon=epsilon, nearest=3)
    assert exact_finding(alike, replace(alike.guarantee, epsilon=epsilon / 2)).verdict == "not certifiable"
    answers = tv.SentenceResponses(mechanism)
    assert exact_finding(answers, answers.guarantee).verdict == "holds"
    assert exact_finding(answers, replace(answers.guarantee, epsilon=epsilon / 2)).verdict == "violated"
