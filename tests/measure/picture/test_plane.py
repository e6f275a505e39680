"""Words around a word in the plane: distances from it are exact, in two dimensions all are."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.measure.picture.layout import curved_layout, flat_layout
from textveil.measure.picture.plane import view_from
from textveil.spaces import Poincare
from textveil.spaces.hyperbolic import Polar, distance


def points(count, dimension, seed=0):
    """Points around the centre; the eighth lies far out."""
    tangents = np.random.default_rng(seed).normal(size=(count, dimension))
    tangents[7] *= 2 * np.sqrt(dimension) / np.linalg.norm(tangents[7])
    return Polar.of_tangents(2 * tangents / np.sqrt(dimension)).ball()


def vocabulary(dimension, count=40):
    return tv.Vocabulary([f"w{i}" for i in range(count)], points(count, dimension), space=Poincare(dimension))


def as_points(places):
    return Polar.of_ball(np.column_stack([places.real, places.imag]))


def shown(dimension):
    table = vocabulary(dimension)
    weights = np.where(np.arange(40) == 7, 0.0, 1.0)
    view = view_from(table, 7, weights)
    return table, view, curved_layout(view, np.argsort(view.distances)[1:20], np.ones(19) / 19)


@pytest.mark.parametrize("dimension", [1, 2, 3, 30])
def test_the_disc_keeps_the_distance_of_every_word_from_the_word(dimension):
    table, view, layout = shown(dimension)
    truth = table.space.distances(table.block(7, 8), table.block(0, 40))[0]
    drawn = as_points(layout.places)
    own = Polar(np.repeat(drawn.radius[7], 40), np.repeat(drawn.direction[7:8], 40, axis=0))
    assert np.allclose(distance(own, drawn), truth, atol=1e-9)
    assert np.allclose(view.distances, truth)
    assert view.exact == (dimension <= 2)
    centre = as_points(np.array([layout.centre]))
    assert distance(as_points(layout.places[7:8]), centre) == pytest.approx(Polar.of_ball(table.block(7, 8)).radius[0])


def test_in_two_dimensions_every_distance_is_exact():
    table, _, layout = shown(2)
    assert abs(layout.places[7]) > 0.1
    drawn = np.column_stack([layout.places.real, layout.places.imag])
    truth = table.space.distances(table.block(0, 40), table.block(0, 40))
    assert np.allclose(table.space.distances(drawn, drawn), truth, atol=1e-8)


def test_rings_are_at_the_distances_that_they_name():
    _, _, layout = shown(3)
    around = np.exp(2j * np.pi * np.arange(12) / 12)
    assert len(layout.rings) >= 2
    for ring in layout.rings:
        drawn = as_points(ring.middle + ring.radius * around)
        own = as_points(np.repeat(layout.places[7], 12))
        assert np.allclose(distance(own, drawn), ring.distance, atol=1e-6)


def test_replacements_that_are_far_from_the_word_and_near_each_other_are_told_apart():
    around = 0.5 * np.exp(2j * np.pi * np.arange(5) / 5)
    points = np.vstack([[[0.99999, 0.0], [0.999989, 0.0]], np.column_stack([around.real, around.imag])])
    table = tv.Vocabulary([f"w{i}" for i in range(7)], points, space=Poincare(2))
    view = view_from(table, 0, np.ones(7))
    # A synonym is one of the replacements: seen from the word, it may lie in any direction.
    drawn = curved_layout(view, np.arange(1, 7), np.ones(6) / 6).places
    apart = np.abs(drawn[2:, None] - drawn[2:])[np.triu_indices(5, 1)]
    assert apart.min() > 0.2
    assert drawn[0].imag < -0.9
    assert abs(drawn[0].real) < 1e-6


def test_a_likely_replacement_gets_more_room():
    points = np.array([[0.99, 0.0], [0.98, 0.12], [0.0, 0.0], [-0.3, 0.5], [-0.3, -0.5], [0.3, -0.6]])
    table = tv.Vocabulary([f"w{i}" for i in range(6)], points, space=Poincare(2))
    view = view_from(table, 0, np.ones(6))
    from_word = [
        abs(places[1] - places[0])
        for chances in ([0.2] * 5, [0.96, 0.01, 0.01, 0.01, 0.01])
        for places in [curved_layout(view, np.arange(1, 6), np.array(chances)).places]
    ]
    assert from_word[1] > 1.5 * from_word[0]


def test_the_word_at_the_centre_of_the_ball_and_euclidean_words_can_be_looked_at_too(clustered):
    table = tv.Vocabulary(["root", "a", "b"], [[0, 0], [0.5, 0], [0, 0.9]], unknown="root", space=Poincare(2))
    assert view_from(table, 0, np.array([0.0, 1.0, 1.0])).centre is None
    weights = np.where(np.arange(600) == 3, 0.0, 1.0)
    view = view_from(clustered, 3, weights)
    layout = flat_layout(view, np.argsort(view.distances)[1:20])
    truth = np.linalg.norm(clustered.points - clustered.points[3], axis=1)
    assert np.allclose(np.abs(layout.places) / layout.rings[0].radius * layout.rings[0].distance, truth)
    assert view.centre is None


def test_a_space_of_ones_own_has_no_picture(clustered):
    class Other:
        dimension, metric = 12, "my distance"
        distances = clustered.space.distances
        relative_error = clustered.space.relative_error

    table = tv.Vocabulary(clustered.words, clustered.points, space=Other())
    with pytest.raises(tv.InvalidInputError, match="my distance"):
        view_from(table, 0, np.ones(600))
