"""Epsilon chosen by what it does."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.measure.calibration import unchanged


@pytest.mark.parametrize("radius", [None, 2.0])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
def test_the_share_of_unchanged_words_is_met_and_not_passed(clustered, share, radius):
    mechanism = tv.calibrate(
        lambda eps: tv.Exponential(clustered, epsilon=eps, radius=radius), target="unchanged", at_most=share
    )
    truth = np.diag(mechanism.transition_matrix()).mean()
    assert truth <= share
    assert truth >= share - 0.02 * min(share, 1 - share)
    assert unchanged(mechanism) == pytest.approx(truth, rel=1e-9)
    assert mechanism.law.loss >= 0.999 * mechanism.epsilon


def test_a_share_can_be_reached_from_above(clustered):
    mechanism = tv.calibrate(lambda eps: tv.Exponential(clustered, epsilon=eps), at_least=0.5)
    assert 0.5 <= unchanged(mechanism) < 0.52
    # Its epsilon is the exact loss of its law: rate + max |ln Z - ln Z'| / d over all pairs, by brute force.
    normalisers = -np.log(np.diag(mechanism.transition_matrix()))
    points = clustered.block(0, len(clustered))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    apart = distances > 0
    slope = (np.abs(normalisers[:, None] - normalisers)[apart] / distances[apart]).max()
    assert mechanism.law.rate + slope == pytest.approx(mechanism.epsilon, rel=1e-6)


def test_without_calibrated_laws_the_search_goes_over_epsilon(clustered):
    mechanism = tv.calibrate(lambda eps: tv.Exponential(clustered, epsilon=eps, calibrated=False), at_most=0.4)
    assert 0.39 <= unchanged(mechanism) <= 0.4


def test_a_sampled_law_is_met_within_its_noise(clustered):
    mechanism = tv.calibrate(
        lambda eps: tv.NearestWord(clustered, tv.Laplace(epsilon=eps, dimension=12)), at_most=0.5, start=5.0
    )
    ids = np.repeat(np.arange(600), 50)
    assert (mechanism.release_ids(ids) == ids).mean() == pytest.approx(0.5, abs=0.05)


def test_a_radius_of_protection(clustered):
    mechanism = tv.calibrate(lambda eps: tv.Exponential(clustered, epsilon=eps), target="radius", at_least=4.0)
    assert mechanism.guarantee.loss(4.0) == pytest.approx(1.0)
    half = tv.calibrate(lambda eps: tv.Exponential(clustered, epsilon=eps), target="radius", at_least=4.0, loss=0.5)
    assert half.epsilon == mechanism.epsilon / 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "nonsense", "at_most": 0.1}, "target"),
        ({"target": "unchanged"}, "at_most"),
        ({"target": "unchanged", "at_most": 0.1, "at_least": 0.1}, "at_most"),
        ({"target": "unchanged", "at_most": 1.0}, "above 0 and below 1"),
        ({"target": "unchanged", "at_most": 0.0}, "above 0 and below 1"),
        ({"target": "unchanged", "at_most": 1e-9}, "uniform choice keeps"),
        ({"target": "radius", "at_most": 1.0}, "at_least"),
        ({"target": "radius", "at_least": -1.0}, "at_least"),
    ],
)
def test_targets_that_cannot_be_are_refused(clustered, options, message):
    with pytest.raises(ValueError, match=message):
        tv.calibrate(lambda eps: tv.Exponential(clustered, epsilon=eps), **options)


def test_mechanisms_that_release_vectors_are_sent_to_their_own_page():
    for options in ({"at_most": 0.2}, {"target": "deniability", "at_least": 5}):
        with pytest.raises(tv.InvalidInputError, match=r"Laplace releases vectors.*docs/choosing-vectors.md"):
            tv.calibrate(lambda epsilon: tv.Laplace(epsilon=epsilon, dimension=3), **options)
