"""What happens to one public word, and a map of the words around it."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.measure.passes import KnownLaw
from textveil.measure.picture.layout import Ring
from textveil.measure.picture.scene import Scene, scene_of
from textveil.mechanisms.words import WordMechanism
from textveil.service.errors import Code, Refusal
from textveil.service.limits import retry_after
from textveil.vocabulary.pairs import distances_to_all

Floats = NDArray[np.float64]

# Counts take all cores for seconds: one at a time.
_COUNTING = Lock()
# Where the law can't be read it is counted out of so many draws.
DRAWS = 2000
_LISTED, _MARKED, _BACKGROUND = 8, 40, 500
_SHARES = (0.5, 0.9)
_LEAST_WORDS = 3


def word_facts(mechanism: WordMechanism, word: str) -> dict[str, Any]:
    """Return a word's chance to stay, what replaces it, and where all that lies."""
    vocabulary = mechanism.vocabulary
    own = int(vocabulary.ids([word])[0])
    known = isinstance(mechanism, KnownLaw)
    chances = _chances(mechanism, own)
    order = np.argsort(-chances, kind="stable")
    distances = distances_to_all(vocabulary, np.array([own]))[0]
    return {
        "word": vocabulary.words[own],
        "known": word in vocabulary,
        "draws": None if known else DRAWS,
        "stays": float(chances[own]),
        "replacements": [
            {
                "word": vocabulary.words[other],
                "chance": float(chances[other]),
                "distance": float(distances[other]),
                "loss": mechanism.guarantee.loss(float(distances[other])),
            }
            for other in order[order != own][:_LISTED].tolist()
            if chances[other] > 0
        ],
        "map": _map(mechanism, own, chances),
    }


def plausible(mechanism: WordMechanism, word: str) -> dict[str, Any]:
    """Return how many words are as plausible as a word given what comes out; it may take seconds the first time."""
    if not hasattr(mechanism, "explain"):
        return {"as_plausible": None, "recovered": None}
    if not _COUNTING.acquire(blocking=False):
        raise Refusal(Code.BUSY, "another count is running", headers=retry_after(1))
    try:
        explained = mechanism.explain(word)
    finally:
        _COUNTING.release()
    return {"as_plausible": explained.as_plausible, "recovered": explained.recovered}


def _chances(mechanism: WordMechanism, own: int) -> Floats:
    row: Floats
    if isinstance(mechanism, KnownLaw):
        row = mechanism.transition_rows(np.array([own]))[0]
    else:
        drawn = mechanism.release_ids(np.full(DRAWS, own))
        row = np.bincount(drawn, minlength=len(mechanism.vocabulary)) / DRAWS
    return row


def _map(mechanism: WordMechanism, own: int, chances: Floats) -> dict[str, Any] | None:
    if len(chances) < _LEAST_WORDS:
        return None
    try:
        # Words that were never drawn still have a direction.
        scene = scene_of(mechanism.vocabulary, own, np.maximum(chances, 1e-15), labels=_MARKED, share=_SHARES[0])
    except InvalidInputError:
        return None
    return {
        "curved": scene.curved,
        "exact": scene.view.exact,
        "own": _mark(scene, own),
        "cloud": [_mark(scene, one) for one in scene.cloud.tolist()],
        "others": [_place(scene, one) for one in scene.others(_BACKGROUND).tolist()],
        "rings": [_ring(ring) for ring in scene.layout.rings],
        "within": [{"share": share, **_ring(scene.layout.ring_at(scene.reach(share)))} for share in _SHARES],
        "centre": None if scene.layout.centre is None else [scene.layout.centre.real, scene.layout.centre.imag],
    }


def _mark(scene: Scene, one: int) -> dict[str, Any]:
    return {"word": scene.names[one], "chance": float(scene.chances[one]), "place": _place(scene, one)}


def _place(scene: Scene, one: int) -> list[float]:
    place = scene.layout.places[one]
    return [round(float(place.real), 4), round(float(place.imag), 4)]


def _ring(ring: Ring) -> dict[str, Any]:
    return {"distance": ring.distance, "middle": [ring.middle.real, ring.middle.imag], "radius": ring.radius}
