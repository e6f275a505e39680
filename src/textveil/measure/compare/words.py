"""Every way to release words, measured at many strengths: what stays, what it is worth, what attackers get."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from textveil.errors import InvalidInputError
from textveil.measure.compare.cells import Cells
from textveil.measure.compare.findings import findings_of_words
from textveil.measure.compare.frontier import Frontier, Point, Value, Way
from textveil.measure.compare.laws import (
    CUT,
    EXPONENTIAL,
    HALF,
    MOST_FOR_TIGHT,
    NEARLY_ALL,
    RESPONSE,
    TIGHT,
    exponential_points,
    response_points,
    tight_points,
)
from textveil.measure.compare.noises import CLIPPED, DELTA, EUCLIDEAN, POINCARE
from textveil.measure.compare.quantities import OF_WORDS
from textveil.measure.compare.releases import noise_points
from textveil.measure.compare.setting import Setting, Sizes, ladder
from textveil.measure.compare.texts import Texts
from textveil.mechanisms.exponential.shipped import radius_for
from textveil.progress import progress
from textveil.randomness import RandomSource
from textveil.spaces import Euclidean
from textveil.vocabulary import Vocabulary

UNTOUCHED = Way("untouched", "texts as they are", 0, 7, status=None)
SHUFFLED = Way("shuffled", "texts as they are, classes shuffled", 0, 11, status=None)

# Classifiers take the most time: one loss of so many is tried on texts.
_LOSSES_A_TEXT = 2


@dataclass(frozen=True)
class Part:
    """Points of one way that are measured together and kept under a name."""

    way: Way
    name: dict[str, Any]
    measure: Callable[[RandomSource], list[Point]]


def compare_words(
    vocabulary: Vocabulary,
    *,
    sizes: Sizes | None = None,
    texts: Texts | None = None,
    seed: int = 0,
    again: bool = False,
    only: Sequence[str] | None = None,
) -> Frontier:
    """Measure all word mechanisms on a public vocabulary.

    Parameters
    ----------
    vocabulary : public; with Euclidean or hyperbolic distances
    sizes : how much is measured
    texts : public texts with classes, to try the releases on
    seed : a public number that all random draws follow from
    again : measure anew what is kept in the cache
    only : keys of the ways that are measured; all if left out
    """
    setting = Setting.of(vocabulary, sizes or Sizes())
    cells = Cells(
        {**setting.subject(), "texts": texts.digest if texts else None, "delta": DELTA, "clipped": CLIPPED}, seed, again
    )
    among = "words" if isinstance(vocabulary.space, Euclidean) else "words of the Poincaré ball"
    wanted = chosen_of(_parts(setting, texts), only, among=among)
    points: list[Point] = []
    with progress("comparing", len(wanted)) as step:
        for part in wanted:
            if not _keeps_nearly_all(points, part.way):
                points += cells.points({"way": part.way.key, **part.name}, part.measure)
            step()
    known = dict.fromkeys([EXPONENTIAL, HALF, *(part.way for part in wanted), SHUFFLED])
    used = {point.way for point in points}
    frontier = Frontier(
        title=f"{len(vocabulary):,} words: what mechanisms keep at an equal guarantee",
        about=_about(setting, texts),
        quantities=OF_WORDS,
        ways=[way for way in known if way.key in used],
        points=points,
    )
    return replace(frontier, findings=findings_of_words(frontier, setting))


def chosen_of(parts: Sequence[Part], only: Sequence[str] | None, *, among: str) -> list[Part]:
    """Return the parts of the ways that were asked for, and what texts are worth as they are; all if none were."""
    known = dict.fromkeys(part.way.key for part in parts)
    unknown = [key for key in only or () if key not in known]
    if unknown:
        there = [f"{key} (brings {HALF.key})" if key == EXPONENTIAL.key else key for key in known]
        small = f" of more than {MOST_FOR_TIGHT:,}" if unknown[0] == TIGHT.key and among == "words" else ""
        raise InvalidInputError(f"there is no {unknown[0]!r} among {among}{small}; there are: {', '.join(there)}")
    return [part for part in parts if only is None or part.way.key in only or part.way is UNTOUCHED]


def _parts(setting: Setting, texts: Texts | None) -> list[Part]:
    """Return what is to be measured."""
    vocabulary, cut = setting.vocabulary, radius_for(setting.vocabulary)
    flat = isinstance(vocabulary.space, Euclidean)
    losses = [rung * setting.radius for rung in ladder(setting.radius)]
    parts = [
        Part(EXPONENTIAL, {}, partial(exponential_points, setting, texts)),
        Part(CUT, {"cut": cut}, partial(exponential_points, setting, texts, way=CUT, cut=cut)),
        Part(RESPONSE, {}, lambda _: response_points(setting, losses)),
    ]
    if flat and len(vocabulary) <= MOST_FOR_TIGHT:
        between = (2 / setting.radius, 10 / setting.radius)
        parts.append(Part(TIGHT, {}, partial(tight_points, setting, texts, epsilons=between)))
    for noise in EUCLIDEAN if flat else POINCARE:
        for place, loss in enumerate(losses):
            tried = None if place % _LOSSES_A_TEXT else texts
            measure = partial(noise_points, setting, tried, noise=noise, loss=loss)
            parts.append(Part(noise.way, {"loss": loss}, measure))
    if texts is not None:
        parts.append(Part(UNTOUCHED, {}, lambda _: _references(texts)))
    return parts


def _references(texts: Texts) -> list[Point]:
    """Return what clean texts are worth, and what a classifier makes of shuffled classes."""
    clean = {name: Value.exact(math.inf) for name in ("epsilon", "loss", "far")}
    clean |= {name: Value.exact(1.0) for name in ("unchanged", "naming", "pair")}
    clean["moved"] = Value.exact(0.0)
    return [
        Point(UNTOUCHED.key, {**clean, "accuracy": texts.accuracy(texts.words)}),
        Point(SHUFFLED.key, {**clean, "accuracy": texts.accuracy(texts.words, shuffled=True)}),
    ]


def _keeps_nearly_all(points: Sequence[Point], way: Way) -> bool:
    """Whether the last point of a way changes next to nothing, so that it need not be made weaker still."""
    return bool(points) and points[-1].way == way.key and points[-1].values["unchanged"].value > NEARLY_ALL


def _about(setting: Setting, texts: Texts | None) -> dict[str, str]:
    vocabulary, sizes = setting.vocabulary, setting.sizes
    about = {
        "Vocabulary": f"{len(vocabulary):,} words, {vocabulary.dimension} numbers each, {vocabulary.space.metric}; "
        f"sha256 {vocabulary.digest[:12]}",
        "Radius": f"{setting.radius:.4g}: the median distance of a word to its nearest neighbour. Two words lie "
        f"{setting.usual:.3g} apart on average, and at most {setting.farthest:.3g} of those looked at",
        "Measured": f"laws that are known: exactly, over all pairs of words; noise: {len(setting.sample):,} words, "
        f"{sizes.repeats} releases of each; pairs: {len(setting.paired):,} words with their nearest neighbours",
        "Intervals": "95%: Clopper-Pearson for shares, the normal law for means, over words; repeats of one count less",
    }
    if texts is not None:
        chance = texts.task.chance["accuracy"]
        about["Texts"] = (
            f"{len(texts.task.texts):,} texts, {len(texts.words):,} words; by chance {chance:.3f} are right"
        )
    return about
