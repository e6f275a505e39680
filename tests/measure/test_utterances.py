"""Attacks on utterances stay below what the promise allows, and find the originals where there is hardly any noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

import textveil as tv
from textveil.learn.autoencoder.requests import requests
from textveil.measure.utterances import _chances, attack_bound, attack_success, farthest_pair, pair_delta
from textveil.mechanisms.adept import Adept

TEXTS = list(dict.fromkeys(each.text for each in requests(400, seed=5)))[:300]
EVERY = np.arange(len(TEXTS))


@pytest.fixture(scope="module")
def codec():
    return tv.AutoEncoder.default()


def published(codec, epsilon):
    noise = tv.ClippedLaplace(epsilon=epsilon, clip=codec.clip, dimension=codec.dimension, variant="published")
    return Adept(codec, noise)


def test_with_hardly_any_noise_the_original_is_found(codec):
    found = attack_success(Adept(codec, epsilon=40.0), TEXTS, EVERY, source=tv.RandomSource.seeded(1))
    assert found[1] > 0.9
    assert found[10] > 0.9


@pytest.mark.parametrize("knows", ["vector", "text"])
def test_no_attack_passes_its_bound(codec, knows):
    """Five deviations above the bound, in the worst case."""
    for epsilon in (0.5, 2.0):
        found = attack_success(
            Adept(codec, epsilon=epsilon), TEXTS, EVERY, knows=knows, source=tv.RandomSource.seeded(2)
        )
        for k, share in found.items():
            bound = attack_bound(epsilon, len(TEXTS), among=k)
            assert share <= bound + 5 * math.sqrt(bound / len(TEXTS))


def test_knowing_the_vector_is_better_than_knowing_the_text(codec):
    shares = [
        attack_success(Adept(codec, epsilon=8.0), TEXTS, EVERY, knows=knows, source=tv.RandomSource.seeded(3))[10]
        for knows in ("vector", "text")
    ]
    assert shares[0] > shares[1] > 10 / len(TEXTS)


def test_the_farthest_two_refute_the_published_noise_and_no_other(codec):
    for epsilon in (1.0, 4.0):
        broken = published(codec, epsilon)
        pair = farthest_pair(broken, TEXTS)
        assert pair_delta(broken, pair, epsilon, source=tv.RandomSource.seeded(4)) > 0.05
        assert pair_delta(broken, pair, 2 * epsilon, source=tv.RandomSource.seeded(4)) == 0
        sound = Adept(codec, epsilon=epsilon)
        assert pair_delta(sound, farthest_pair(sound, TEXTS), epsilon, source=tv.RandomSource.seeded(4)) == 0


def test_candidates_with_the_same_score_are_shuffled():
    scores = np.array([3.0, 1.0, 1.0, 1.0, 0.0])
    assert _chances(scores, 0, (1, 2)).tolist() == [1, 1]
    assert _chances(scores, 2, (1, 2, 4)).tolist() == [0, pytest.approx(1 / 3), 1]
    assert _chances(scores, 4, (4, 5)).tolist() == [0, 1]


def test_bounds():
    assert attack_bound(1.0, 1000) == pytest.approx(math.e / 1000)
    assert attack_bound(1.0, 1000, among=10) == pytest.approx(math.e / 100)
    assert attack_bound(1e9, 1000) == 1


def test_only_two_kinds_of_knowledge(codec):
    with pytest.raises(tv.InvalidInputError, match="knows"):
        attack_success(Adept(codec, epsilon=1.0), TEXTS, EVERY, knows="all")
