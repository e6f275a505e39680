"""The frontier of vectors."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import textveil as tv
from textveil.guarantees import Status
from textveil.measure.compare import compare_vectors, vectors
from textveil.measure.compare.setting import Sizes
from textveil.measure.compare.vector_ways import WAYS, Table
from textveil.measure.compare.vectors import _table
from textveil.measure.tasks import Classification

SMALL = Sizes(words=100, repeats=2, pairs=30)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return rng.standard_normal((300, 3)) @ rng.standard_normal((3, 8)) + 0.2 * rng.standard_normal((300, 8))


@pytest.fixture(scope="module")
def frontier(rows, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEXTVEIL_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(vectors, "ladder", lambda radius, least: [least * times / radius for times in (1, 10, 100)])
        return compare_vectors(rows, sizes=SMALL)


def test_every_mechanism_is_there_with_all_that_is_measured(frontier):
    assert [way.key for way in frontier.ways] == [way.key for way, _ in WAYS]
    for point in frontier.points:
        assert {"epsilon", "loss", "far", "naming", "inversion", "membership", "cosine", "error"} <= point.values.keys()
        assert point.values["loss"].value > 0


def test_weaker_guarantees_keep_more_and_give_attackers_more(frontier):
    for way in ("laplace", "gaussian", "privunit"):
        for key in ("cosine", "naming", "inversion"):
            line = frontier.line(way, "loss", key)
            assert line[-1][1] > line[0][1] + 0.2, (way, key)
        error = frontier.line(way, "loss", "error")
        assert error[-1][1] < error[0][1] / 5


def test_findings_tell_of_every_mechanism(frontier):
    (finding,) = frontier.findings
    for way in frontier.ways:
        assert f"{way.label}{' (refuted)' if way.reason else ''}: " in finding
    number, share = r"[\d.]+ \([\d.]+ to [\d.]+\)", r"[\d.]+% \([\d.]+% to [\d.]+%\)"
    assert re.search(rf"one half .*: Laplace noise: {number}, where an attacker names {share};", finding)


def test_an_analyst_with_few_axes_gains_by_the_projection(frontier):
    """Vectors near three of eight dimensions; two are kept, and noise for two is less than noise for eight."""
    at = frontier.line("laplace", "loss", "cosine")
    projected = frontier.line("privemb", "loss", "cosine")
    assert projected[0][1] > at[0][1]


@pytest.mark.parametrize("way", [way.key for way, _ in WAYS])
def test_the_loss_at_the_radius_is_the_largest_of_the_law(rows, way):
    """Outputs along the line through two vectors at the radius reach the loss, or with a delta do not matter."""
    table = _table(rows, np.arange(50))
    found, build = next((it, build) for it, build in WAYS if it.key == way)
    made = build(table, 2.0)
    noise = made.mechanism
    # ADePT's worst direction is the diagonal; Mahalanobis' the flattest axis.
    direction = np.ones(8) / math.sqrt(8) if way == "clipped-published" else np.linalg.eigh(table.covariance)[1][:, 0]
    if way == "privemb":
        direction = np.linalg.eigh(table.covariance)[1][:, -1]
    one, other = -direction * table.radius / 2, direction * table.radius / 2
    if way in ("gaussian", "laplace-delta"):
        assert noise.guarantee.loss(table.radius) == 2.0
        return
    if way == "privunit":
        assert noise.guarantee.epsilon == made.loss == made.far == 2.0
        return
    output = noise.chosen.apply(5 * one[None])[0] if way == "privemb" else 5 * one
    loss = float(noise.log_density(output, one) - noise.log_density(output, other))
    assert loss == pytest.approx(made.loss, rel=1e-6)
    assert (found.status is Status.REFUTED) == (way == "clipped-published")


def test_classes_are_tried_and_shuffled_ones_are_not_learnt(rows, monkeypatch):
    pytest.importorskip("sklearn")
    monkeypatch.setattr(vectors, "ladder", lambda radius, least: [least * times / radius for times in (1, 100)])
    labels = tuple("ab"[int(value > 0)] for value in rows[:, 0])
    task = Classification("rows", tuple(f"text {i}" for i in range(len(rows))), labels)
    found = compare_vectors(rows, sizes=SMALL, task=task, only=["laplace"])
    clean, shuffled = (found.line(way, "loss", "accuracy")[0][1] for way in ("untouched", "shuffled"))
    assert clean > 0.95
    # Six standard deviations of a coin as fair as the classes: a false alarm of 1e-9.
    assert shuffled < task.chance["accuracy"] + 6 * math.sqrt(0.25 / 300)
    line = found.line("laplace", "loss", "accuracy")
    assert line[-1][1] > 0.9 > line[0][1]
    assert f"A classifier is right about {clean:.1%} (" in found.findings[1]
    assert "95% or more of that on texts as they are: Laplace noise: " in found.findings[2]


def test_what_can_not_be_compared_is_refused(rows):
    with pytest.raises(tv.InvalidInputError, match="at least 40 vectors"):
        compare_vectors(rows[:39])
    with pytest.raises(tv.InvalidInputError, match="different vectors"):
        compare_vectors(np.ones((50, 3)))
    assert isinstance(_table(rows, np.arange(5)), Table)
