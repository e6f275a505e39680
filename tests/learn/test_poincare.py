"""Training reconstructs trees, descends the gradient, and can be stopped at any time."""

from __future__ import annotations

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.learn import checkpoints
from textveil.learn import poincare_kernel as kernel
from textveil.learn.checkpoints import TrainingInterrupted
from textveil.learn.hierarchies import Hierarchy
from textveil.learn.poincare import Recipe, train
from textveil.learn.reconstruction import reconstruction
from textveil.learn.relations import Relations
from textveil.spaces import Poincare

SMALL = Recipe(dimension=5, epochs=300, negatives=10, rate=0.1, burn_in=0.1, seed=1)
SHORT = Recipe(dimension=5, epochs=12, negatives=5, burn_in=0.3)


def tree(children, depth):
    """A full tree; node "r01" is below "r0" and "r"."""
    names, pairs = ["r"], []
    for name in names:
        if len(name) <= depth:
            names += [f"{name}{i}" for i in range(children)]
            pairs += [(f"{name}{i}", name) for i in range(children)]
    return Relations.of_pairs(pairs)


@pytest.fixture(scope="module")
def relations():
    return tree(3, 4)


@pytest.fixture(scope="module")
def trained(relations):
    moments = []
    points = train(relations, SMALL, threads=1, every=100, report=moments.append)
    return points, moments


def test_a_small_tree_is_reconstructed(relations, trained):
    points, moments = trained
    quality = reconstruction(points, relations)
    assert quality.mean_average_precision > 0.95
    assert quality.mean_rank < 1.2
    assert [moment.epoch for moment in moments] == [100, 200, 300]
    assert moments[-1].quality == quality
    assert moments[-1].loss < moments[0].loss
    assert "epoch 300" in str(moments[-1])
    assert "all 120 nodes" in str(moments[-1])


def test_the_root_is_near_the_centre_and_leaves_far_out(relations, trained):
    norms = np.linalg.norm(trained[0], axis=1)
    depth = np.array([len(name) for name in relations.names])
    means = [norms[depth == level].mean() for level in range(1, 6)]
    assert means == sorted(means)
    assert norms.max() <= 1 - kernel.LEAST_GAP + 1e-15


def test_several_threads_reconstruct_it_too(relations):
    quality = reconstruction(train(relations, SMALL, threads=3), relations)
    assert quality.mean_average_precision > 0.95


def test_one_thread_repeats_itself_and_seeds_differ(relations):
    first = train(relations, SHORT, threads=1)
    assert (train(relations, SHORT, threads=1) == first).all()
    other = Recipe(dimension=5, epochs=12, negatives=5, burn_in=0.3, seed=2)
    assert not (train(relations, other, threads=1) == first).any()


def one_node_trained(rate, negatives):
    """Train one node with two ancestors, and a table with a single negative.

    Return the points before and after, and the Euclidean gradients by finite differences.
    """
    rng = np.random.default_rng(0)
    ball = rng.normal(size=(4, 3))
    ball *= (np.array([0.4, 0.7, 0.95, 0.2]) / np.linalg.norm(ball, axis=1))[:, None]

    def loss(points):
        near = np.exp(-Poincare(3).distances(points[:1], points[1:])[0])
        return -np.log(near[:2] / (near[:2] + negatives * near[2])).sum()

    gradient = np.zeros_like(ball)
    for place in np.ndindex(ball.shape):
        moved = np.zeros_like(ball)
        moved[place] = 1e-5
        gradient[place] = (loss(ball + moved) - loss(ball - moved)) / 2e-5
    points = np.zeros((4, kernel.LANES))
    points[:, :3] = ball
    nothing_below = np.zeros(5, dtype=np.int64), np.zeros(0, dtype=np.int64)
    total = kernel.train_nodes(
        *(points, 1 - (ball**2).sum(axis=1), np.array([0]), np.array([0, 2, 2, 2, 2]), np.array([1, 2])),
        *(*nothing_below, np.array([3]), negatives, 0, rate, np.uint64(1), (0.0,) * kernel.LANES),
    )
    assert total == pytest.approx(loss(ball), rel=1e-9)
    assert not points[:, 3:].any()
    return ball, points[:, :3], gradient


def test_small_steps_go_against_the_riemannian_gradient():
    before, after, gradient = one_node_trained(1e-7, negatives=4)
    gaps = 1 - (before**2).sum(axis=1, keepdims=True)
    assert (after - before) / 1e-7 == pytest.approx(-(gaps**2) / 4 * gradient, rel=1e-4, abs=1e-6)


def test_large_steps_are_as_long_as_the_riemannian_gradient_says():
    before, after, gradient = one_node_trained(0.5, negatives=1)
    lengths = (1 - (before**2).sum(axis=1)) / 2 * np.linalg.norm(gradient, axis=1)
    moved = Poincare(3).distances(before, after).diagonal()
    assert moved == pytest.approx(0.5 * lengths, rel=1e-6)


@pytest.mark.parametrize("length", [0.01, 0.7, 1.9])
def test_a_step_is_as_long_as_its_rate_says(length):
    x, g = np.array([[0.6, -0.3]]), np.array([[2.0, 5.0]])
    gap = 1 - (x**2).sum()
    rate = length / (gap / 2 * np.linalg.norm(g))
    kept, moved = kernel.step(gap, (g**2).sum(), (x * g).sum(), rate)
    assert Poincare(2).distances(x, kept * x + moved * g)[0, 0] == pytest.approx(length, rel=1e-12)


def test_kin_are_below_an_ancestor_and_never_ancestors(relations):
    below, state = relations.below, np.array([7], dtype=np.uint64)
    node = relations.names.index("r01")
    others = np.empty(500, dtype=np.int64)
    nothing = np.array([node])
    for related in (0, 400):
        total = kernel.sample(node, relations.offsets, relations.above, *below, nothing, 400, related, state, others)
        names = [relations.names[i] for i in others[:total]]
        assert sorted(names[:2]) == ["r", "r0"]
        assert not {"r", "r0", "r01"} & set(names[2:])
        assert (total > 2) == (related > 0)
    assert {name for name in names[2:] if name.startswith("r01")}
    assert {name for name in names[2:] if name.startswith("r02")}


def test_the_rate_burns_in_is_held_and_falls():
    recipe = Recipe(epochs=100, burn_in=0.1, hold=0.3, rate=0.2, burn_in_rate=0.01)
    rates = [recipe.rate_of(epoch) for epoch in range(100)]
    assert rates[9] == 0.01
    assert rates[10] == rates[30] == pytest.approx(0.2)
    assert rates[30:] == sorted(rates[30:], reverse=True)
    assert 0.002 < rates[99] < 0.01
    assert [recipe.kin_of(epoch) for epoch in (5, 69, 70)] == [0, 0, 25]


def test_a_resumed_training_equals_an_uninterrupted_one(relations, tmp_path):
    path = tmp_path / "out.npz.checkpoint"

    def stop(moment):
        if moment.epoch == 6:
            raise KeyboardInterrupt

    with pytest.raises(TrainingInterrupted, match="same command again"):
        train(relations, SHORT, threads=1, checkpoint=path, every=1, report=stop)
    assert int(np.load(path)["epochs"]) == 5
    moments = []
    resumed = train(relations, SHORT, threads=1, checkpoint=path, every=1, report=moments.append)
    assert moments[0].epoch == 6
    assert (resumed == train(relations, SHORT, threads=1)).all()
    # A run that was stopped between its end and the saving of its result has nothing left to do.
    assert (train(relations, SHORT, threads=1, checkpoint=path) == resumed).all()


def test_a_foreign_checkpoint_is_refused(relations, tmp_path):
    path = tmp_path / "c"
    checkpoints.Checkpoint(path, "another").save(np.zeros((2, 8)), 1, 1.0)
    with pytest.raises(InvalidInputError, match="other data or other options"):
        train(relations, SHORT, checkpoint=path)
    path.write_bytes(b"no numbers")
    with pytest.raises(InvalidInputError, match="not a checkpoint"):
        train(relations, SHORT, checkpoint=path)


def test_it_is_written_down_once_a_minute_and_at_the_end(tmp_path, monkeypatch):
    kept, state = checkpoints.Checkpoint(tmp_path / "c", "d"), np.ones((2, 8))
    kept.keep(state, 1, 1.0, last=False)
    assert not kept.path.exists()
    monkeypatch.setattr(checkpoints, "_SECONDS_BETWEEN", 0.0)
    kept.keep(state, 2, 2.0, last=False)
    assert kept.restored()[1:] == (2, 2.0)
    monkeypatch.undo()
    kept.keep(state, 3, 3.0, last=False)
    assert kept.restored()[1] == 2
    state *= 5  # The next epoch begins, and is interrupted.
    assert "same command again" in str(kept.interrupted())
    assert kept.restored()[1] == 3
    assert (kept.restored()[0] == 1).all()
    kept.keep(state, 4, 4.0, last=True)
    assert kept.restored()[1] == 4


def test_unknown_words_enter_as_the_most_general_name():
    relations = Relations.of_pairs([("dog", "mammal"), ("mammal", "animal"), ("oak", "plant")])
    points = np.zeros((len(relations.names), 2))
    points[:, 0] = [0.1, 0.4, 0.8, 0.1, 0.0]
    assert Hierarchy(relations).vocabulary(points).unknown == "animal"
    pairs = Relations.of_pairs([("dog", "animal"), ("oak", "plant")])
    points = np.array([[0.0, 0.0], [0.5, 0.0], [0.7, 0.0], [0.3, 0.0]])
    assert Hierarchy(pairs).vocabulary(points).unknown == "plant"


def test_interrupted_without_a_checkpoint(relations, tmp_path):
    def stop(moment):
        raise KeyboardInterrupt

    for path in (None, tmp_path / "never"):
        with pytest.raises(TrainingInterrupted, match="nothing is kept"):
            train(relations, SHORT, threads=1, checkpoint=path, every=1, report=stop)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"dimension": 0}, {"dimension": 257}, {"epochs": 0}, {"negatives": 0}, {"rate": float("nan")}, {"kin": 1.0}),
        *({"burn_in": -1}, {"burn_in_rate": 0}, {"hold": 1.5}, {"seed": 0.5}),
    ],
    ids=str,
)
def test_options_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidInputError, match=f"{next(iter(wrong))} must be"):
        Recipe(**wrong)


def test_reconstruction_counts_what_lies_between():
    relations = Relations.of_pairs([("a", "b"), ("a", "c"), ("d", "c")], closure=False)
    # From a: b at .1, d at .2, c at .3 (in order); from d: a and b at least as near as c.
    points = np.array([[0.0], [0.1], [0.3], [-0.2]])
    quality = reconstruction(points[:, [0]], relations)
    assert relations.names == ("a", "b", "c", "d")
    assert quality.mean_average_precision == pytest.approx((np.mean([1, 2 / 3]) + 1 / 3) / 2)
    assert quality.mean_rank == pytest.approx((1 + 2 + 3) / 3)
    assert reconstruction(np.zeros((4, 1)), relations).mean_average_precision < 0.6
    assert reconstruction(points, relations, sample=1).nodes == 1
    assert "1 sampled of 2" in str(reconstruction(points, relations, sample=1))
