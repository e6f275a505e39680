"""Word mechanisms whose law is known, as points of a frontier: nothing of them is sampled but what texts are worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from textveil.measure.attacks import best_attack, pair_attack
from textveil.measure.calibration import unchanged
from textveil.measure.compare.exponentials import Sweep, sweep
from textveil.measure.compare.frontier import THEOREM, Point, Value, Way
from textveil.measure.compare.intervals import of_mean
from textveil.measure.compare.responses import Responses
from textveil.measure.compare.setting import Setting
from textveil.measure.compare.texts import Texts
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.exponential.law import Law, truncation_radius
from textveil.mechanisms.exponential.rows import Rows
from textveil.randomness import RandomSource
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import distances_to_all

Ids = NDArray[np.int64]
Release = Callable[[Ids, RandomSource], Ids]

EXPONENTIAL = Way("exponential", "exponential, calibrated", 5, 0)
HALF = Way("exponential-half", "exponential, textbook rate epsilon/2", 2, 8)
CUT = Way("exponential-cut", "exponential, distances cut off", 3, 9)
TIGHT = Way("exponential-tight", "exponential, tight weights", 9, 10)
RESPONSE = Way("response", "public response among the words", 8, 12)

# Tight weights take minutes for more words than this: 1,000 and the unknown one.
MOST_FOR_TIGHT = 1001
_TIGHT_STRENGTHS = 6
# Of the strengths of a law so many are tried on texts.
_STRENGTHS_ON_TEXTS = 8
# A law that changes fewer words than this is not made weaker still.
NEARLY_ALL = 0.998


def exponential_points(
    setting: Setting, texts: Texts | None, source: RandomSource, *, way: Way = EXPONENTIAL, cut: float = math.inf
) -> list[Point]:
    """Return the laws of a sweep, each at its exact loss; those without a cut at the textbook rate as well."""
    swept, points = sweep(setting, cut=cut), []
    tried = np.linspace(0, len(swept.rates) - 1, _STRENGTHS_ON_TEXTS).astype(int)
    for place, rate in enumerate(swept.rates.tolist()):
        values = _of_law(swept, place)
        if texts is not None and place in tried:
            values["accuracy"] = texts.accuracy(_drawing(setting.vocabulary, rate, cut)(texts.words, source))
        points.append(Point(way.key, {**_promise(setting, float(swept.losses[place]), cut), **values}))
        if math.isinf(cut):
            points.append(Point(HALF.key, {**_promise(setting, 2 * rate, cut), **values}))
    return points


def tight_points(
    setting: Setting, texts: Texts | None, source: RandomSource, *, epsilons: tuple[float, float]
) -> list[Point]:
    """Return laws with tight weights (T9) between two epsilons, from the rows of all words."""
    points = []
    for epsilon in np.linspace(*epsilons, _TIGHT_STRENGTHS).tolist():
        law = Exponential(setting.vocabulary, epsilon=epsilon, weights="tight")
        rows = law.transition_rows(setting.paired)
        away = (rows * distances_to_all(setting.vocabulary, setting.paired)).sum(axis=1) / setting.usual
        values = {
            "unchanged": Value.exact(unchanged(law)),
            "naming": Value.exact(best_attack(law).success or 0.0),
            "pair": of_mean(pair_attack(law, setting.paired, setting.neighbours)),
            "moved": of_mean(away),
        }
        if texts is not None:
            values["accuracy"] = texts.accuracy(law.release_ids(texts.words, source=source))
        points.append(Point(TIGHT.key, {**_promise(setting, epsilon, math.inf), **values}))
    return points


def response_points(setting: Setting, losses: Sequence[float]) -> list[Point]:
    """Return public responses; the loss is the same between any two words."""
    responses, points = Responses(setting), []
    for loss in losses:
        found = responses.at(loss)
        values = {name: getattr(found, name) for name in ("unchanged", "naming", "moved", "pair")}
        promise = {name: Value.exact(loss, THEOREM) for name in ("epsilon", "loss", "far")}
        promise["bound"] = Value.exact(setting.bound(loss), THEOREM)
        points.append(Point(RESPONSE.key, {**promise, **values}, found.near))
        if found.unchanged.value > NEARLY_ALL:
            break
    return points


def _promise(setting: Setting, epsilon: float, cut: float) -> dict[str, Value]:
    near, far, reach = (epsilon * min(it, cut) for it in (setting.radius, setting.farthest, setting.reach))
    return {
        "epsilon": Value.exact(epsilon),
        "loss": Value.exact(near),
        "far": Value.exact(far),
        "bound": Value.exact(setting.bound(reach), THEOREM),
    }


def _of_law(swept: Sweep, place: int) -> dict[str, Value]:
    return {
        "unchanged": Value.exact(swept.unchanged[place]),
        "naming": Value.exact(swept.unchanged[place]),
        "running": Value.exact(swept.running[place]),
        "frequent": Value.exact(swept.frequent[place]),
        "frequent_word": Value.exact(swept.frequent[place]),
        "pair": swept.pair[place],
        "moved": swept.moved[place],
    }


def _drawing(vocabulary: Vocabulary, rate: float, cut: float) -> Release:
    """Return the release by a law of a sweep, in integers as the mechanism has it."""
    reach = truncation_radius(vocabulary, 2 * rate, None if math.isinf(cut) else cut)
    rows = Rows(vocabulary, Law(rate=rate, radius=reach, loss=2 * rate, certified=False))
    return lambda ids, source: rows.draw(ids, source.streams(b"compare %r" % rate, ids))
