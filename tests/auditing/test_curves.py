"""What a picture shows is the law where it is known, and counted outputs with honest limits where it is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import textveil as tv
from textveil.auditing.curves import with_curve
from textveil.guarantees import local_privacy, metric_privacy

LINE = tv.Vocabulary(list("abcd"), np.array([[0.0], [1.0], [3.0], [7.0]]), unknown="a")
CLAIM = local_privacy(1.0, unit=tv.Unit.WORD)


def seeded(number=3):
    return tv.RandomSource.seeded(number)


def curve_of(subject, **how):
    report = with_curve(tv.audit(subject, source=seeded(), checks=False, **how), subject, source=seeded(4))
    return next((finding for finding in report.findings if finding.curve), None)


def test_of_a_table_the_picture_is_the_law_itself():
    mechanism = tv.Exponential(LINE, epsilon=1.0)
    found = curve_of(mechanism, methods="exact")
    x, y = (LINE.ids([word])[0] for word in found.witness.pair)
    rows = mechanism.transition_rows(np.array([x, y]))
    assert found.curve["share"][-1] == pytest.approx(1.0)
    assert found.curve["loss"] == sorted(found.curve["loss"])
    assert found.curve["loss"][-1] == pytest.approx(np.log(rows[0] / rows[1]).max())
    assert max(map(abs, found.curve["loss"])) <= found.witness.claimed * (1 + 1e-9)
    shown = dict(zip(found.curve["output"], found.curve["from_x"], strict=True))
    assert shown == pytest.approx({word: rows[0][at] for at, word in enumerate(LINE.words)})


def test_of_a_density_the_picture_has_the_losses_of_outputs_drawn():
    mechanism = tv.ClippedLaplace(epsilon=1.0, clip=1.0, dimension=32, variant="published")
    found = curve_of(mechanism, methods="analytic")
    shares, losses = np.array(found.curve["share"]), np.array(found.curve["loss"])
    beyond = 1 - shares[np.searchsorted(losses, 1.0)]
    # delta at epsilon 1 is .117, so that more than that of the outputs of one input pass the claim.
    assert 0.117 / 2 < beyond < 0.3
    assert np.abs(losses).max() <= math.sqrt(32) * (1 + 1e-9)
    assert sum(found.curve["from_x"]) == pytest.approx(1.0, abs=0.02)
    middle = np.average(found.curve["at"], weights=found.curve["from_x"])
    assert middle == pytest.approx(0.0, abs=0.2)


def test_of_a_function_with_numbers_the_picture_has_limits():
    rng = np.random.default_rng(1)
    claim = metric_privacy(1.0, metric="l1 distance", unit=tv.Unit.VECTOR)
    pair = (np.full(4, 0.25), np.full(4, -0.25))
    found = curve_of(lambda x: x + rng.laplace(size=4), claim=claim, pair=pair, samples=400)
    curve = found.curve
    assert len(curve["middle"]) == len(curve["loss"]) == 10
    assert curve["score"]
    assert all(low <= loss <= high for low, loss, high in zip(curve["low"], curve["loss"], curve["high"], strict=True))
    # A promise that is kept is nowhere outside of the limits, and the true log-ratios are within them.
    assert all(low <= 2.0 and high >= -2.0 for low, high in zip(curve["low"], curve["high"], strict=True))


def test_of_a_function_with_names_the_picture_counts_them():
    rng = np.random.default_rng(2)
    kept = math.exp(1) / (2 + math.exp(1))
    words = ["paris", "rome", "oslo"]

    def respond(word):
        others = [other for other in words if other != word]
        return word if rng.random() < kept else others[rng.integers(2)]

    found = curve_of(respond, claim=CLAIM, pair=("paris", "oslo"), samples=400)
    assert found.curve["output"] == ["paris", "rome", "oslo"]
    assert found.curve["loss"] == pytest.approx([1.0, 0.0, -1.0], abs=0.3)
    assert found.curve["from_x"][0] == pytest.approx(kept, abs=0.06)


def test_integers_that_repeat_are_names():
    rng = np.random.default_rng(3)
    found = curve_of(lambda bit: int(bit ^ (rng.random() < 0.3)), claim=CLAIM, pair=(0, 1), samples=200)
    assert set(found.curve["output"]) == {"0", "1"}


@pytest.mark.parametrize(
    "make",
    [
        lambda: tv.NearestWord(LINE, tv.Laplace(epsilon=1.0, dimension=1)),
        lambda: tv.GaussianMean(epsilon=1.0, delta=1e-5, dimension=3),
        lambda: tv.HyperbolicLaplace(epsilon=2.0, dimension=2, variant="published"),
        lambda: tv.TextRewriter(tv.Exponential(LINE, epsilon=1.0)),
    ],
)
def test_witnesses_of_what_is_inside_are_drawn_too(make):
    curve = curve_of(make(), methods=["exact", "analytic"]).curve
    assert sum(curve["from_x"]) == pytest.approx(1.0, abs=0.05)
    assert curve["loss"]


def test_without_a_witness_that_can_be_released_there_is_no_picture():
    words = tv.Vocabulary(list("abcdefgh"), np.random.default_rng(4).normal(size=(8, 2)))
    assert curve_of(tv.Nadp(words, epsilon=1.0, delta=1e-5, variant="radius"), methods="analytic") is None
    assert curve_of(tv.DeepCandidate(tv.Candidates(np.eye(5)), epsilon=1.0, projections=4), methods="exact") is None
