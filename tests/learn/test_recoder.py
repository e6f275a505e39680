"""Training a recoder: it spreads clusters, repeats itself, resumes, and computes the same without torch."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.learn.checkpoints import TrainingInterrupted
from textveil.learn.recoder import Recipe, Trainer, train
from textveil.mechanisms.documents import sums

torch = pytest.importorskip("torch")

SMALL = Recipe(clusters=4, layers=2, hidden=16, epochs=6, batch=20, rate=1e-2)


@pytest.fixture(scope="module")
def documents():
    """Documents of four topics whose sentences lie far around them."""
    rng = np.random.default_rng(0)
    topics = rng.normal(size=(4, 12))
    counts = rng.integers(3, 9, size=240)
    labels = rng.integers(0, 4, size=240)
    vectors = topics[np.repeat(labels, counts)] + 1.5 * rng.normal(size=(counts.sum(), 12))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors, np.concatenate([[0], np.cumsum(counts)]), labels


def spread(vectors, offsets, labels):
    """Variance between topics over variance of sentences within."""
    means = sums(vectors, offsets) / np.diff(offsets)[:, None]
    centres = np.array([means[labels == topic].mean(axis=0) for topic in range(4)])
    within = vectors - centres[np.repeat(labels, np.diff(offsets))]
    return centres.var(axis=0).sum() / within.var(axis=0).sum()


def test_clusters_are_kept_and_spread(documents):
    vectors, offsets, labels = documents
    moments = []
    recoder = train(vectors, offsets, SMALL, encoder="e", report=moments.append)
    assert [moment.epoch for moment in moments] == [1, 2, 3, 4, 5, 6]
    assert moments[-1].loss < moments[0].loss / 2
    assert moments[-1].right > 0.8
    assert "of clusters right" in str(moments[-1])
    assert spread(recoder.recode(vectors), offsets, labels) > 2 * spread(vectors, offsets, labels)
    assert (recoder.takes, recoder.dimension, recoder.encoder) == (12, 12, "e")


def test_what_is_trained_is_what_is_computed_without_torch(documents):
    vectors, offsets, _ = documents
    recipe = Recipe(clusters=3, layers=3, hidden=8, dimension=5, epochs=1)
    trainer = Trainer(vectors, offsets, recipe)
    state = trainer.start()
    *layers, head, head_offset = trainer.weights(state[0])
    recoded = tv.Recoder(layers[::2], layers[1::2], "").recode(vectors)
    means = sums(recoded, offsets) / np.diff(offsets)[:, None]
    flat = torch.tensor(state[0], dtype=torch.float32)
    scores = trainer._scores(flat, np.arange(len(offsets) - 1)).numpy()
    assert scores == pytest.approx(recipe.sharpness * means @ head + head_offset, abs=1e-4)


def test_seeds_repeat_and_differ(documents):
    vectors, offsets, _ = documents
    options = {"clusters": 4, "layers": 1, "epochs": 1}
    first, again, other = (
        train(vectors, offsets, Recipe(**options, seed=seed), encoder="e").digest for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


def test_a_resumed_training_equals_an_uninterrupted_one(documents, tmp_path):
    vectors, offsets, _ = documents
    whole = train(vectors, offsets, SMALL, encoder="e")
    path = tmp_path / "checkpoint"

    def stop(moment):
        if moment.epoch == 4:
            raise KeyboardInterrupt

    with pytest.raises(TrainingInterrupted, match="same command again"):
        train(vectors, offsets, SMALL, encoder="e", checkpoint=path, report=stop)
    with pytest.raises(tv.InvalidInputError, match="other data or other options"):
        train(vectors, offsets, Recipe(clusters=4), encoder="e", checkpoint=path)
    epochs = []
    resumed = train(
        vectors, offsets, SMALL, encoder="e", checkpoint=path, report=lambda moment: epochs.append(moment.epoch)
    )
    assert epochs == [4, 5, 6]
    assert resumed.digest == whole.digest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clusters": 1}, "clusters"),
        ({"layers": 0}, "layers"),
        ({"epochs": 0}, "epochs"),
        ({"batch": 0}, "batch"),
        ({"hidden": 0}, "hidden"),
        ({"dimension": 0}, "dimension"),
        ({"rate": 0.0}, "rate"),
        ({"sharpness": -1.0}, "sharpness"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_recipes_are_refused(options, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        Recipe(**options)


def test_bad_documents_are_refused(documents):
    vectors, offsets, _ = documents
    with pytest.raises(tv.InvalidInputError, match="a sentence at least"):
        train(vectors, np.array([0, 0, len(vectors)]), SMALL, encoder="e")
    with pytest.raises(tv.InvalidInputError, match="a sentence at least"):
        train(vectors[:0], np.array([0]), SMALL, encoder="e")
    with pytest.raises(tv.InvalidInputError, match="4 clusters of 2 different"):
        train(vectors[: offsets[2]], offsets[:3], SMALL, encoder="e")
