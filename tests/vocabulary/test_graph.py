"""The neighbour graph: edges by the definition of the paper, components by a search of our own."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.vocabulary.graph import component_diameters, neighbour_graph


@pytest.fixture(scope="module")
def vocabulary():
    """90 words in 9 clusters, in 5 dimensions."""
    rng = np.random.default_rng(0)
    vectors = 3 * rng.normal(size=(9, 5))[rng.integers(9, size=90)] + 0.6 * rng.normal(size=(90, 5))
    return tv.Vocabulary([f"w{i}" for i in range(90)], vectors, unknown="w0")


def brute(vocabulary, m, threshold, overlap):
    """Edges, components and sensitivities from sets, straight from the paper's conditions (a) and (b)."""
    points = vocabulary.points.astype(np.float64)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(distances, -1)
    order = np.argsort(distances, axis=1, kind="stable")
    near, sets = ([set(row[:size].tolist()) for row in order] for size in (m, overlap))
    count = len(points)
    edges = {
        (x, y)
        for x in range(count)
        for y in range(x + 1, count)
        if (x in near[y] or y in near[x]) and len(sets[x] & sets[y]) / len(sets[x] | sets[y]) >= threshold
    }
    labels = list(range(count))
    for _ in range(count):
        for x, y in edges:
            labels[x] = labels[y] = min(labels[x], labels[y])
    longest = dict.fromkeys(labels, 0.0)
    for x, y in edges:
        longest[labels[x]] = max(longest[labels[x]], distances[x, y])
    return edges, labels, [longest[label] for label in labels]


@pytest.mark.parametrize(
    ("m", "threshold", "overlap"), [(2, 0.5, None), (2, 0.2, 10), (2, 0.0, None), (4, 0.4, None), (3, 1 / 3, 5)]
)
def test_edges_components_and_sensitivities_are_those_of_the_definition(vocabulary, m, threshold, overlap):
    graph = neighbour_graph(vocabulary, neighbours=m, threshold=threshold, overlap=overlap)
    edges, labels, sensitivities = brute(vocabulary, m, threshold, overlap or m)
    assert edges
    assert {tuple(edge) for edge in graph.edges.tolist()} == edges
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    assert graph.components.tolist() == [numbers[label] for label in labels]
    assert graph.count == len(numbers)
    assert graph.sensitivities == pytest.approx(sensitivities, abs=1e-12)


def test_with_two_neighbours_and_a_threshold_above_a_third_only_mutual_neighbours_are_joined():
    line = tv.Vocabulary(list("abcde"), [[0.0], [1.0], [3.0], [3.5], [9.0]], unknown="a")
    graph = neighbour_graph(line, neighbours=2, threshold=0.34)
    assert graph.edges.tolist() == [[0, 1], [2, 3]]
    assert graph.sensitivities.tolist() == [1.0, 1.0, 0.5, 0.5, 0.0]
    assert neighbour_graph(line, neighbours=2, threshold=1 / 3).edges.tolist() == [[0, 1], [2, 3], [3, 4]]


def test_diameters_are_the_largest_distances_inside_components(vocabulary, monkeypatch):
    monkeypatch.setattr("textveil.vocabulary.graph._BLOCK", 4)
    components = neighbour_graph(vocabulary, threshold=0.1, overlap=10).components
    points = vocabulary.points.astype(np.float64)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    together = components[:, None] == components[None]
    expected = [np.where(together, distances, 0)[components == number].max() for number in range(components.max() + 1)]
    assert component_diameters(vocabulary, components) == pytest.approx(expected, abs=1e-12)
    assert max(np.bincount(components)) > 4


@pytest.mark.parametrize(
    ("options", "message"),
    [({"neighbours": 1}, "neighbours"), ({"overlap": 1}, "overlap"), ({"threshold": 1.1}, "threshold")],
)
def test_bad_parameters_are_refused(vocabulary, options, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        neighbour_graph(vocabulary, **options)
