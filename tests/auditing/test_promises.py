"""What a claim allows, for one pair and for many, and the words of a conclusion."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import textveil as tv
from textveil.auditing import Method
from textveil.auditing.promises import claimed_losses, conclude, epsilon_for, epsilons_for, farthest
from textveil.guarantees import local_privacy, metric_privacy

METRIC = metric_privacy(2.0, metric="Euclidean distance", unit=tv.Unit.VECTOR)


def relation(claim, **more):
    return replace(claim, relation=replace(claim.relation, **more))


CLAIMS = {
    "metric": METRIC,
    "radius": relation(METRIC, radius=1.5),
    "rounding": relation(METRIC, rounding=0.25),
    "offset": replace(METRIC, offset=0.5),
    "limit": relation(replace(METRIC, offset=0.5), rounding=0.25, largest_loss=4.0),
    "any": local_privacy(2.0, unit=tv.Unit.VECTOR),
    "within": tv.Guarantee(
        epsilon=2.0, unit=tv.Unit.VECTOR, relation=tv.Relation(pairs=tv.Pairs.WITHIN, metric="l1", radius=1.0)
    ),
    "edges": tv.Guarantee(epsilon=2.0, unit=tv.Unit.WORD, relation=tv.Relation(pairs=tv.Pairs.EDGES, metric="a graph")),
}


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_losses_of_many_pairs_are_those_of_the_guarantee(claim):
    distances = np.array([0.0, 1e-9, 0.3, 1.0, 1.4999, 1.5, 1.6, 7.0, 1e9])
    assert claimed_losses(claim, distances) == pytest.approx([claim.loss(float(d)) for d in distances], rel=1e-14)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_loss_needs_the_epsilon_with_which_it_would_be_allowed(claim):
    for distance in (0.3, 1.0, 1.2):
        loss = replace(claim, epsilon=3.0).loss(distance)
        if math.isfinite(loss):
            assert epsilon_for(claim, loss, distance) == pytest.approx(3.0)
    assert math.isinf(epsilon_for(claim, math.inf, 0.7))


def test_inputs_at_one_point_are_promised_the_same_law():
    assert epsilons_for(METRIC, np.array([0.0, 1e-6]), np.zeros(2)).tolist() == [0.0, math.inf]


def test_how_far_a_claim_reaches():
    assert farthest(METRIC) == farthest(CLAIMS["any"]) == farthest(CLAIMS["radius"]) == math.inf
    assert farthest(CLAIMS["within"]) == 1.0
    reach = farthest(CLAIMS["limit"])
    assert CLAIMS["limit"].loss(reach * (1 - 1e-12)) == pytest.approx(4.0)
    assert CLAIMS["limit"].loss(reach * (1 + 1e-12)) == math.inf


def concluded(claim=METRIC, **more):
    return conclude(claim, name="a test", method=Method.EXACT, because="It was so.", **more)


def test_a_conclusion_holds_is_violated_or_is_about_ideal_arithmetic():
    assert concluded(bound=2.0).verdict == "holds"
    assert concluded(bound=2.0 * (1 + 1e-10)).verdict == "holds"
    assert concluded(bound=2.0 * (1 + 1e-8)).verdict == "violated"
    ideal = concluded(bound=2.0, caveat="floats are used")
    assert ideal.verdict == "not certifiable"
    assert "not certified: floats are used" in ideal.explanation
    assert concluded(bound=2.1, caveat="floats are used").verdict == "violated"


def test_with_a_delta_only_what_escapes_it_accuses():
    claim = replace(METRIC, delta=1e-3)
    assert concluded(claim, bound=3.0, escaped=2e-3).verdict == "violated"
    assert concluded(claim, bound=3.0, escaped=5e-4).verdict == "holds"
    assert concluded(claim, bound=3.0).verdict == "not certifiable"
