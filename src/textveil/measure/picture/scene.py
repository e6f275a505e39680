"""What a picture of a word shows: every word's name, chance and place, and which of them are the cloud around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.measure.picture.layout import Layout, curved_layout, flat_layout
from textveil.measure.picture.plane import View, view_from
from textveil.spaces import Poincare
from textveil.vocabulary import Vocabulary

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Scene:
    """A word, its likely replacements (the cloud) and all other words, in a plane or in the Poincaré disc."""

    names: tuple[str, ...]
    own: int
    chances: Floats
    cloud: Ids
    view: View
    layout: Layout
    curved: bool

    def others(self, most: int) -> Ids:
        """Return words besides the word and its cloud that are near enough to be shown, evenly chosen if many."""
        rest = np.setdiff1d(np.arange(len(self.chances)), [*self.cloud, self.own])
        rest = rest[np.abs(self.layout.places[rest]) <= 1]
        shown: Ids = rest[np.linspace(0, len(rest) - 1, min(most, len(rest))).astype(np.int64)]
        return shown

    def reach(self, share: float) -> float:
        """Return the distance within which this share of all releases of the word lie."""
        return _reach(self.view.distances, self.chances, share)


def scene_of(vocabulary: Vocabulary, own: int, chances: Floats, *, labels: int, share: float = 0.0) -> Scene:
    """Arrange the words of a vocabulary around one of them.

    Parameters
    ----------
    vocabulary : in Euclidean space or in the Poincaré ball
    own : the number of the word
    chances : of each word to be released in its place
    labels : how many of the likeliest replacements make up the cloud
    share : of all releases that must have room in a plane
    """
    order = np.argsort(-chances, kind="stable")
    cloud = order[order != own][:labels]
    view = view_from(vocabulary, own, np.where(np.arange(len(chances)) == own, 0.0, chances))
    curved = isinstance(vocabulary.space, Poincare)
    if curved:
        layout = curved_layout(view, cloud, chances[cloud])
    else:
        layout = flat_layout(view, cloud, least=_reach(view.distances, chances, share))
    return Scene(vocabulary.words, own, chances, cloud, view, layout, curved)


def _reach(distances: Floats, chances: Floats, share: float) -> float:
    order = np.argsort(distances, kind="stable")
    reached = np.cumsum(chances[order])
    return float(distances[order[np.searchsorted(reached, share * reached[-1])]])
