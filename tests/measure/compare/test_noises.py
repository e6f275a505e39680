"""Noise is set up so that its true loss at the radius is the one asked for."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import textveil as tv
from textveil.guarantees import Status
from textveil.measure.compare.frontier import SAMPLED
from textveil.measure.compare.noises import DELTA, EUCLIDEAN, POINCARE, gaussian_loss
from textveil.measure.compare.releases import noise_points
from textveil.measure.compare.setting import Setting, Sizes
from textveil.noise.gaussian_curve import gaussian_delta
from textveil.spaces import Poincare

WAYS = {noise.way.key: noise for noise in (*EUCLIDEAN, *POINCARE)}


@pytest.mark.parametrize("key", ["laplace", "gaussian", "mahalanobis", "privunit"])
def test_what_is_proved_loses_what_was_asked_for(setting, key):
    assert WAYS[key].way.status is Status.PROVED
    made = WAYS[key].build(setting, 4.0)
    assert made.loss == 4.0
    dimension = setting.vocabulary.dimension
    if key == "laplace":
        noise = tv.Laplace(epsilon=made.epsilon, dimension=dimension, precision="exact")
        assert noise.guarantee.loss(setting.radius) == pytest.approx(4.0)
    elif key == "gaussian":
        noise = tv.Gaussian(epsilon=made.epsilon, delta=DELTA, sensitivity=setting.radius, dimension=dimension)
        assert noise.guarantee.loss(setting.radius) == 4.0
        assert gaussian_delta(made.far, setting.farthest / noise.sigma) == pytest.approx(DELTA, rel=1e-6)
    elif key == "mahalanobis":
        covariance = np.cov(setting.vocabulary.points, rowvar=False, dtype=np.float64)
        noise = tv.Mahalanobis(covariance, epsilon=made.epsilon)
        worst = np.linalg.eigh(noise.matrix)[1][:, 0] * setting.radius
        loss = noise.log_density(np.zeros(dimension), np.zeros(dimension)) - noise.log_density(
            np.zeros(dimension), worst
        )
        assert loss == pytest.approx(4.0, rel=1e-4)
    else:
        assert made.far == 4.0


def test_what_is_published_is_said_to_lose_what_it_truly_loses(setting):
    claimed = 3.0
    made = WAYS["clipped-published"].build(setting, claimed)
    clip = float(np.quantile(np.linalg.norm(setting.vocabulary.points.astype(float), axis=1), 0.99))
    noise = tv.ClippedLaplace(
        epsilon=claimed, clip=clip, dimension=setting.vocabulary.dimension, variant="published", precision="fast"
    )
    apart = np.full(setting.vocabulary.dimension, setting.radius / math.sqrt(setting.vocabulary.dimension))
    low, high = -apart / 2, apart / 2
    assert made.loss == pytest.approx(float(noise.log_density(high, high) - noise.log_density(high, low)), rel=1e-9)
    assert WAYS["clipped-published"].way.status is Status.REFUTED
    assert WAYS["nadp-published"].build(setting, claimed).loss == math.inf


def test_the_loss_of_gaussian_noise_between_far_inputs_is_solved_for():
    assert gaussian_delta(gaussian_loss(3.0, 1e-6), 3.0) == pytest.approx(1e-6, rel=1e-9)
    assert gaussian_loss(1e-9, 1e-6) == 0


def line(count=9):
    return tv.Vocabulary([f"w{i}" for i in range(count)], np.arange(float(count))[:, None], unknown="w0")


def test_what_stays_on_a_line_is_known_in_closed_form():
    """Points one apart on a line: a word stays if the noise is below 1/2; at the ends only on one side."""
    setting = Setting.of(line(), Sizes(words=9, repeats=20_000, pairs=9))
    epsilon = 2.0
    point = noise_points(setting, None, tv.RandomSource.keyed(bytes(32)), noise=WAYS["laplace"], loss=epsilon)[0]
    inner = 1 - math.exp(-epsilon / 2)
    expected = (7 * inner + 2 * (1 + inner) / 2) / 9
    kept = point.values["unchanged"]
    # Five and a half standard deviations: a false alarm has chance 4e-8; epsilon x 1.3 lies far outside.
    spread = 5.5 * math.sqrt(0.25 / 180_000)
    assert abs(kept.value - expected) < spread
    weaker = 1 - math.exp(-1.3 * epsilon / 2)
    assert abs(kept.value - (7 * weaker + 1 + weaker) / 9) > spread
    assert kept.low < kept.value < kept.high
    # Words at the ends stay more often than those between: the interval is over the words.
    assert kept.high - kept.low > 10 * 1.96 * math.sqrt(0.25 / 180_000)
    assert point.values["naming"].how == SAMPLED
    assert point.values["naming"].value == kept.value


def test_who_sees_the_noisy_vector_and_knows_frequencies_names_more_than_stay(setting):
    """Of 2,000 words the vector names more by over six deviations, a false alarm of 1e-9."""
    many = replace(setting, sample=np.zeros(2000, dtype=np.int64))
    point = noise_points(many, None, tv.RandomSource.keyed(bytes(32)), noise=WAYS["laplace"], loss=2.0)[0]
    seen, running = point.values["frequent"], point.values["running"]
    assert seen.value - running.value > 6 * math.sqrt(0.5 / 2000)
    assert (seen.how, point.values["frequent_word"].how) == ("at most", "at least")
    assert point.values["frequent_word"].value == running.value
    assert 0 < point.values["bound"].value <= 1


def test_of_a_simplex_both_laws_are_the_same_and_what_is_proved_of_them_is_not():
    """51 words, all as far from each other: by symmetry a word stays or becomes each other word alike."""
    count = 51
    values, vectors = np.linalg.eigh(np.eye(count) - 1 / count)
    simplex = tv.Vocabulary([f"w{i}" for i in range(count)], vectors[:, 1:] * np.sqrt(values[1:]), unknown="w0")
    setting = Setting.of(simplex, Sizes(words=count, repeats=400, pairs=count))
    point = noise_points(setting, None, tv.RandomSource.keyed(bytes(32)), noise=WAYS["laplace"], loss=15.0)[0]
    kept, proved = point.values["unchanged"], point.values["loss"]
    assert (proved.value, proved.how) == (15.0, "at most")
    # The exponential law that keeps as many has the loss ln(P[x | x] / P[x | y]), and so has the word of the noise.
    exact = math.log(kept.value * (count - 1) / (1 - kept.value))
    law = tv.Exponential(simplex, epsilon=exact / setting.radius, calibrated=True)
    assert np.diag(law.transition_rows(np.arange(count))).mean() == pytest.approx(kept.value, rel=1e-4)
    # Far outside of what 20,400 releases can be off by.
    assert exact < 0.6 * proved.value


def test_noise_of_the_ball_exists_above_its_dimension_less_one_only():
    angles = 2 * np.pi * np.arange(12) / 12
    points = np.vstack([np.zeros((1, 2)), 0.7 * np.column_stack([np.cos(angles), np.sin(angles)])])
    ball = tv.Vocabulary([f"w{i}" for i in range(13)], points, "w0", space=Poincare(2))
    setting = Setting.of(ball, Sizes(words=13, repeats=2, pairs=5))
    source = tv.RandomSource.keyed(bytes(32))
    assert noise_points(setting, None, source, noise=WAYS["hyperbolic"], loss=0.9 * setting.radius) == []
    kept = [
        noise_points(setting, None, source, noise=WAYS["hyperbolic"], loss=times * setting.radius)[0].values[
            "unchanged"
        ]
        for times in (1.5, 20.0)
    ]
    assert all(weak.value <= strong.value for weak, strong in pairwise(kept))
    published = noise_points(setting, None, source, noise=WAYS["hyperbolic-published"], loss=2.0)[0]
    assert published.values["loss"].value == math.inf
