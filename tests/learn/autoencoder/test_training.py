"""Training learns to write through noise, has the law of the noise, and can be stopped at any time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.learn.autoencoder.network import Shape
from textveil.learn.autoencoder.noise import TrainingNoise
from textveil.learn.autoencoder.training import Recipe, train
from textveil.learn.checkpoints import TrainingInterrupted
from textveil.mechanisms.adept import Adept, default_noise
from textveil.mechanisms.clipped_laplace import ClippedLaplace
from textveil.randomness import RandomSource

torch = pytest.importorskip("torch")

TEXTS = ["play some jazz", "will it rain in ohio", "call maria now", "turn off the kitchen lights"] * 8
SMALL = Recipe(
    shape=Shape(latent=3, embedding=12, hidden=24),
    length=6,
    epochs=60,
    batch=8,
    rate=0.01,
    epsilon=10.0,
    hidden_words=0.1,
    seed=1,
)
SHORT = replace(SMALL, epochs=4)


def test_four_utterances_survive_weak_noise():
    made = train(TEXTS, SMALL, threads=1)
    released = Adept(made, epsilon=10.0).release(TEXTS * 3, source=RandomSource.seeded(1))
    assert np.mean([before == after for before, after in zip(TEXTS * 3, released, strict=True)]) > 0.6
    assert made.epsilons == (10.0, 10.0)


def test_the_same_seed_gives_the_same_model():
    first = train(TEXTS, SHORT, threads=1)
    assert train(TEXTS, SHORT, threads=1).digest == first.digest
    assert train(TEXTS, replace(SHORT, seed=2), threads=1).digest != first.digest


def test_a_resumed_training_equals_an_uninterrupted_one(tmp_path):
    checkpoint = tmp_path / "model.checkpoint"

    def stop(moment):
        if moment.epoch == 3:
            raise KeyboardInterrupt

    with pytest.raises(TrainingInterrupted, match="same command"):
        train(TEXTS, SHORT, threads=1, checkpoint=checkpoint, report=stop)
    moments = []
    resumed = train(TEXTS, SHORT, threads=1, checkpoint=checkpoint, report=moments.append)
    assert [moment.epoch for moment in moments] == [3, 4]
    assert "nats a word" in str(moments[-1])
    assert resumed.digest == train(TEXTS, SHORT, threads=1).digest
    with pytest.raises(InvalidInputError, match="other options"):
        train(TEXTS, replace(SHORT, rate=0.5), threads=1, checkpoint=checkpoint)


def noisy(name, vectors, epsilon=3.0, clip=2.0):
    noise = TrainingNoise(name, epsilon=epsilon, dimension=vectors.shape[1], clip=clip)
    items = np.arange(len(vectors))
    drawn = noise.draw(RandomSource.seeded(1).streams(b"training", items))
    lifted = np.sqrt(1 - (vectors**2).sum(axis=1, keepdims=True) / clip**2)
    points = torch.from_numpy(np.concatenate([vectors / clip, lifted], axis=1))
    return noise.add(points, torch.from_numpy(drawn)).numpy()


def far_apart(first, second):
    """Kolmogorov's distance of two samples of the same size, in units of sqrt(2 / n)."""
    both = np.sort(np.concatenate([first, second]))
    ranks = [np.searchsorted(np.sort(sample), both, side="right") for sample in (first, second)]
    return np.abs(ranks[0] - ranks[1]).max() / np.sqrt(2 * len(first))


@pytest.mark.parametrize(
    ("name", "mechanism"),
    [
        ("privunit", default_noise(3.0, 3, 2.0)),
        ("published", ClippedLaplace(epsilon=3.0, dimension=3, clip=2.0, variant="published", precision="fast")),
    ],
)
def test_the_noise_of_training_has_the_law_of_the_mechanism(name, mechanism):
    """Two Kolmogorov tests: one is above 2.7 in less than one of 10^6 cases."""
    vector = np.array([1.2, -0.5, 0.9])
    vectors = np.repeat(vector[None], 20_000, axis=0)
    mine, theirs = noisy(name, vectors), mechanism.release(vectors, source=RandomSource.seeded(2))
    along = vector / np.linalg.norm(vector)
    assert far_apart(mine @ along, theirs @ along) < 2.7
    assert far_apart(np.linalg.norm(mine, axis=1), np.linalg.norm(theirs, axis=1)) < 2.7
    assert far_apart(1.3 * mine @ along, theirs @ along) > 2.7


def test_the_encoder_learns_through_the_noise():
    points = torch.tensor([[0.6, 0.0, 0.8]], requires_grad=True)
    noise = TrainingNoise("privunit", epsilon=9.0, dimension=2, clip=1.0)
    drawn = torch.from_numpy(noise.draw(RandomSource.seeded(3).streams(b"x", np.arange(1)))).float()
    noise.add(points, drawn).sum().backward()
    assert points.grad.abs().sum() > 0


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"up_to": 2.0}, "up_to must be at least epsilon"),
        ({"noise": "none"}, "noise must be one of"),
        ({"epochs": 0}, "epochs"),
        ({"hidden_words": 1.0}, "hidden_words"),
    ],
)
def test_recipes_that_can_not_work_are_refused(wrong, told):
    with pytest.raises(InvalidInputError, match=told):
        Recipe(**wrong)


def test_epsilons_are_spread_over_the_range():
    epsilons = [noise.mechanism.epsilon for noise in Recipe(epsilon=0.5, up_to=32.0).noises()]
    assert epsilons == pytest.approx([0.5, 1, 2, 4, 8, 16, 32])
    assert len(Recipe(epsilon=2.0).noises()) == 1


def test_noise_grows_over_the_first_half():
    recipe = Recipe(epsilon=2.0, up_to=12.0)
    noises = recipe.noises()
    met = {done: [noise.mechanism.epsilon for noise in recipe.met_at(noises, done)] for done in (0.0, 0.25, 0.5, 0.9)}
    assert met[0.0] == [pytest.approx(12.0)]
    assert len(met[0.25]) == 4
    assert min(met[0.25]) > 4
    assert met[0.5] == met[0.9] == [noise.mechanism.epsilon for noise in noises]
    assert len(Recipe(epsilon=2.0, up_to=12.0, growing=0.0).met_at(noises, 0.0)) == len(noises)
    with pytest.raises(InvalidInputError, match="growing"):
        Recipe(growing=1.0)
