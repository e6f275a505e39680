"""One function audits everything: it picks the methods, shares alpha, and says why it can't say more."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import textveil as tv
from textveil.auditing import Method
from textveil.errors import InvalidInputError
from textveil.guarantees import local_privacy
from textveil.mechanisms import Mechanism

LINE = tv.Vocabulary(list("abcd"), np.array([[0.0], [1.0], [3.0], [7.0]]), unknown="a")
CLAIM = local_privacy(1.0, unit=tv.Unit.VECTOR)


def flipped(seed, truth):
    """Randomised response on a bit: the true one with this chance."""
    rng = np.random.default_rng(seed)
    return lambda bit: int(bit if rng.random() < truth else 1 - bit)


def seeded(number=3):
    return tv.RandomSource.seeded(number)


def test_a_mechanism_is_audited_by_all_that_is_known_of_it():
    report = tv.audit(tv.Exponential(LINE, epsilon=1.0), source=seeded(), samples=2000)
    assert report.verdict is tv.Verdict.HOLDS
    assert report.method is Method.EXACT
    methods = {finding.method for finding in report.findings}
    assert {Method.EXACT, Method.DISTRIBUTION, Method.CHECK} <= methods
    assert Method.BLACK_BOX not in methods
    assert sum(finding.alpha for finding in report.findings) <= 0.01 * (1 + 1e-9)
    assert json.loads(report.to_json())["verdict"] == "holds"


def test_what_is_computed_to_be_broken_needs_no_samples():
    report = tv.audit(tv.ClippedLaplace(epsilon=1.0, clip=1.0, dimension=4, variant="published"))
    assert report.verdict == "violated"
    assert report.bound == pytest.approx(2.0)
    assert [finding.samples for finding in report.findings] == [0]


def test_a_sampler_that_is_off_is_caught_although_the_law_it_inherits_is_proved():
    class Off(tv.Laplace):
        def _draw(self, streams):
            return super()._draw(streams) // 2

    report = tv.audit(Off(epsilon=1.0, dimension=30), source=seeded(), checks=False)
    assert report.findings[0].method is Method.ANALYTIC
    assert report.findings[0].verdict == "not certifiable"
    assert "not known to be the one it samples" in report.findings[0].explanation
    assert report.verdict == "violated"
    assert report.method is Method.DISTRIBUTION


def test_a_sampler_with_too_much_noise_is_not_certified():
    class Loud(tv.Laplace):
        def _draw(self, streams):
            return super()._draw(streams) * 2

    report = tv.audit(Loud(epsilon=1.0, dimension=30), source=seeded(), checks=False)
    assert report.verdict == "not certifiable"


def test_a_function_is_audited_by_its_outputs_alone():
    kept = math.exp(1) / (1 + math.exp(1))
    fair = tv.audit(flipped(1, kept), claim=CLAIM, pair=(0, 1), samples=2000, checks=False)
    assert fair.verdict == "not certifiable"
    assert fair.method is Method.BLACK_BOX
    assert fair.findings[0].needed > 0
    broken = tv.audit(flipped(1, 0.95), claim=CLAIM, pair=(0, 1), samples=2000, checks=False)
    assert broken.verdict == "violated"
    assert 1.0 < broken.bound < math.log(19)
    assert broken.witness.pair == (0, 1)


def test_inputs_that_are_given_are_compared_for_a_mechanism_too():
    mechanism = tv.Exponential(LINE, epsilon=1.0)
    report = tv.audit(
        mechanism,
        pair=("a", "b", 1.0)[:2],
        pairs=[("a", "d", 7.0)],
        methods=["black box"],
        samples=500,
        source=seeded(),
        claim=replace(mechanism.guarantee, relation=tv.Relation(pairs=tv.Pairs.ANY)),
    )
    assert len(report.findings) == 2
    assert {finding.method for finding in report.findings} == {Method.BLACK_BOX}


def test_a_claim_of_the_caller_is_the_one_that_is_tested():
    mechanism = tv.Exponential(LINE, epsilon=1.0)
    claim = replace(mechanism.guarantee, epsilon=0.5)
    report = tv.audit(mechanism, claim=claim, methods="exact")
    assert report.verdict == "violated"
    assert report.claim is claim


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: tv.audit(flipped(1, 0.5), pair=(0, 1)), "claim="),
        (lambda: tv.audit(flipped(1, 0.5), claim=CLAIM), "pair="),
        (lambda: tv.audit(flipped(1, 0.5), claim=CLAIM, pairs=[(0,)]), "(x, y, distance)"),
        (lambda: tv.audit(tv.Laplace(epsilon=1.0, dimension=2), alpha=0.0), "alpha"),
        (lambda: tv.audit(tv.Laplace(epsilon=1.0, dimension=2), alpha=1.0), "alpha"),
        (lambda: tv.audit(tv.Laplace(epsilon=1.0, dimension=2), samples=0), "samples"),
        (lambda: tv.audit(tv.Laplace(epsilon=1.0, dimension=2), methods=["magic"]), "methods"),
        (lambda: tv.audit(tv.Laplace(epsilon=1.0, dimension=2), methods=[]), "methods"),
    ],
)
def test_what_can_not_be_audited_is_refused_with_the_remedy(call, told):
    with pytest.raises(InvalidInputError, match=told.replace("(", r"\(").replace(")", r"\)")):
        call()


class Coin(Mechanism):
    """A mechanism of which nothing is known: it tells a bit with some chance."""

    guarantee = CLAIM

    def spec(self):
        return {"mechanism": "Coin"}

    def _check(self, private):
        return np.atleast_1d(np.asarray(private))

    def _sample(self, items, streams):
        return np.where(streams.words(1)[:, 0] < np.uint64(0.9 * 2**64), items, 1 - items)

    def _wrap(self, outputs, private):
        return outputs.tolist()


def test_a_mechanism_of_which_nothing_is_known_needs_inputs():
    with pytest.raises(InvalidInputError, match="give pair="):
        tv.audit(Coin(), checks=False)
    report = tv.audit(Coin(), pair=(0, 1), source=seeded(), checks=False)
    assert report.verdict == "violated"
    assert report.method is Method.BLACK_BOX
