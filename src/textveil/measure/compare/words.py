"""Every way to release words, measured at many strengths: what stays, what it is worth, what attackers get."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.measure.attacks import best_attack, pair_attack, recovered_ranks
from textveil.measure.calibration import unchanged
from textveil.measure.compare.cells import Cells
from textveil.measure.compare.exponentials import Sweep, sweep
from textveil.measure.compare.findings import findings_of_words
from textveil.measure.compare.frontier import AT_LEAST, AT_MOST, THEOREM, Frontier, Point, Value, Way
from textveil.measure.compare.intervals import of_mean, of_share
from textveil.measure.compare.noises import EUCLIDEAN, POINCARE, Noise, Noisy, Setup
from textveil.measure.compare.quantities import OF_WORDS
from textveil.measure.compare.responses import Responses
from textveil.measure.compare.setting import Setting, Sizes, ladder
from textveil.measure.compare.texts import Texts
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.exponential.law import Law, truncation_radius
from textveil.mechanisms.exponential.rows import Rows
from textveil.mechanisms.exponential.shipped import radius_for
from textveil.progress import progress
from textveil.randomness import RandomSource
from textveil.spaces import Euclidean
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import distances_to_all

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

EXPONENTIAL = Way("exponential", "exponential, calibrated", 5, 0)
HALF = Way("exponential-half", "exponential, textbook rate epsilon/2", 2, 0)
CUT = Way("exponential-cut", "exponential, distances cut off", 3, 0)
TIGHT = Way("exponential-tight", "exponential, tight weights", 4, 0)
RESPONSE = Way("response", "public response among the words", 7, 2)
UNTOUCHED = Way("untouched", "texts as they are", 0, 7)
SHUFFLED = Way("shuffled", "texts as they are, classes shuffled", 0, 3)

# Tight weights take minutes on more words than this.
_MOST_FOR_TIGHT = 5000
_TIGHT_STRENGTHS = 8
# Of the strengths of an exact law so many are tried on texts.
_STRENGTHS_ON_TEXTS = 8
# A mechanism that changes fewer words than this is not made weaker still.
_ALL = 0.998


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
    subject = {**setting.subject(), "texts": texts.digest if texts else None}
    comparing = _Comparison(setting, texts, Cells(subject, seed, again))
    wanted = [part for part in comparing.parts() if only is None or part[0].key in only]
    points: list[Point] = []
    with progress("comparing", len(wanted)) as step:
        for way, name, measure in wanted:
            points += comparing.cells.points({"way": way.key, **name}, measure)
            step()
    used = {point.way for point in points}
    known = dict.fromkeys([EXPONENTIAL, HALF, *(way for way, _, _ in wanted), SHUFFLED])
    frontier = Frontier(
        title=f"Words released in {len(vocabulary):,} words",
        about=_about(setting, texts),
        quantities=OF_WORDS,
        ways=[way for way in known if way.key in used],
        points=points,
    )
    return Frontier(**{**vars(frontier), "findings": findings_of_words(frontier, setting)})


Part = tuple[Way, dict[str, Any], Callable[[RandomSource], list[Point]]]


class _Comparison:
    """The parts that a comparison of words consists of."""

    def __init__(self, setting: Setting, texts: Texts | None, cells: Cells) -> None:
        self.setting, self.texts, self.cells = setting, texts, cells
        self.responses = Responses(setting)
        self.done: set[str] = set()

    def parts(self) -> list[Part]:
        """Return what is to be measured, each with its name in the cache."""
        vocabulary = self.setting.vocabulary
        flat = isinstance(vocabulary.space, Euclidean)
        losses = [rung * self.setting.radius for rung in ladder(self.setting.radius)]
        cut = radius_for(vocabulary)
        parts: list[Part] = [
            (EXPONENTIAL, {}, lambda source: self.exponentials(EXPONENTIAL, math.inf, source)),
            (CUT, {"cut": cut}, lambda source: self.exponentials(CUT, cut, source)),
        ]
        if len(vocabulary) <= _MOST_FOR_TIGHT and flat:
            parts.append((TIGHT, {}, self.tight))
        parts.append((RESPONSE, {}, lambda source: self.response(losses, source)))
        for noise in EUCLIDEAN if flat else POINCARE:
            parts += [self._noise(noise, loss) for loss in losses]
        if self.texts is not None:
            parts.append((UNTOUCHED, {}, self.untouched))
        return parts

    def exponentials(self, way: Way, cut: float, source: RandomSource) -> list[Point]:
        """Return the laws of a sweep; those without a cut at the textbook rate as well."""
        swept = sweep(self.setting, cut=cut)
        texts = set(np.linspace(0, len(swept.rates) - 1, _STRENGTHS_ON_TEXTS).astype(int).tolist())
        points = []
        for place, rate in enumerate(swept.rates):
            values = self._of_law(swept, place)
            if self.texts is not None and place in texts:
                values["accuracy"] = self._worth(_drawing(self.setting.vocabulary, float(rate), cut), source)
            points.append(Point(way.key, {**self._promise(float(swept.losses[place]), cut), **values}))
            if math.isinf(cut):
                points.append(Point(HALF.key, {**self._promise(2 * float(rate), cut), **values}))
        return points

    def tight(self, source: RandomSource) -> list[Point]:
        """Return laws with tight weights, from the rows of all words."""
        setting, points = self.setting, []
        swept = self._calibrated_range()
        for epsilon in np.linspace(*swept, _TIGHT_STRENGTHS).tolist():
            law = Exponential(setting.vocabulary, epsilon=epsilon, weights="tight")
            rows = law.transition_rows(setting.paired)
            away = (rows * distances_to_all(setting.vocabulary, setting.paired)).sum(axis=1) / setting.usual
            values = {
                "unchanged": Value.exact(unchanged(law)),
                "naming": Value.exact(best_attack(law).success or 0.0),
                "pair": of_mean(pair_attack(law, setting.paired, setting.neighbours)),
                "moved": of_mean(away),
            }
            if self.texts is not None:
                values["accuracy"] = self._worth(lambda ids, it, law=law: law.release_ids(ids, source=it), source)
            points.append(Point(TIGHT.key, {**self._promise(epsilon, math.inf), **values}))
        return points

    def response(self, losses: Sequence[float], source: RandomSource) -> list[Point]:
        """Return public responses; the loss is the same between any two words."""
        points = []
        for loss in losses:
            found = self.responses.at(loss)
            values = {name: getattr(found, name) for name in ("unchanged", "naming", "moved", "pair")}
            promise = {name: Value.exact(loss, THEOREM) for name in ("epsilon", "loss", "far")}
            promise["bound"] = Value.exact(self.setting.bound(lambda _, loss=loss: loss), THEOREM)
            points.append(Point(RESPONSE.key, {**promise, **values}))
            if found.unchanged.value > _ALL:
                break
        return points

    def untouched(self, source: RandomSource) -> list[Point]:
        """Return what clean texts are worth, and what a classifier makes of shuffled classes."""
        assert self.texts is not None  # noqa: S101 -- the part exists with texts only
        clean = {name: Value.exact(math.inf) for name in ("epsilon", "loss", "far")}
        clean |= {name: Value.exact(1.0) for name in ("unchanged", "naming", "pair")}
        clean["moved"] = Value.exact(0.0)
        return [
            Point(UNTOUCHED.key, {**clean, "accuracy": self.texts.accuracy(self.texts.words)}),
            Point(SHUFFLED.key, {**clean, "accuracy": self.texts.accuracy(self.texts.words, shuffled=True)}),
        ]

    def _noise(self, noise: Noise, loss: float) -> Part:
        return noise.way, {"loss": loss}, lambda source: self._measured(noise, loss, source)

    def _measured(self, noise: Noise, loss: float, source: RandomSource) -> list[Point]:
        """Return a mechanism at one loss, by releases; nothing once it was seen to change next to nothing."""
        if noise.way.key in self.done:
            return []
        setup = noise.build(self.setting, loss)
        if setup is None:
            return []
        setting = self.setting
        words = np.tile(setting.sample, setting.sizes.repeats)
        released = setup.release(words, source)
        stayed = of_share(released == words)
        far = _distances(setting, words, released) / setting.usual
        values = {
            **{name: Value.exact(getattr(setup, name), THEOREM) for name in ("epsilon", "loss", "far")},
            "unchanged": stayed,
            "naming": stayed if noise.best_named else Value(stayed.value, stayed.low, stayed.high, AT_LEAST),
            "moved": of_mean(far),
            "pair": self._told_apart(setup, source),
        }
        if setup.noisy is not None:
            values |= _of_running_text(setting, setup.noisy, source)
        if noise.by_distance:
            values["bound"] = Value.exact(setting.bound(lambda distance: loss * distance / setting.radius), THEOREM)
        if self.texts is not None:
            values["accuracy"] = self._worth(setup.release, source)
        if stayed.value > _ALL:
            self.done.add(noise.way.key)
        return [Point(noise.way.key, values)]

    def _told_apart(self, setup: Setup, source: RandomSource) -> Value:
        """Return how often the attacker is right who takes the word of a pair that is nearer to the output."""
        setting = self.setting
        own = np.concatenate([setting.paired, setting.neighbours])
        other = np.concatenate([setting.neighbours, setting.paired])
        own, other = (np.tile(words, setting.sizes.repeats) for words in (own, other))
        released = setup.release(own, source.at(len(setting.sample) * setting.sizes.repeats))
        margin = _distances(setting, other, released) - _distances(setting, own, released)
        return of_mean(np.where(margin == 0, 0.5, margin > 0), AT_LEAST)

    def _worth(self, release: Callable[[Ids, RandomSource], Ids], source: RandomSource) -> Value:
        assert self.texts is not None  # noqa: S101 -- asked with texts only
        return self.texts.accuracy(release(self.texts.words, source))

    def _promise(self, epsilon: float, cut: float) -> dict[str, Value]:
        radius, farthest = (min(distance, cut) for distance in (self.setting.radius, self.setting.farthest))
        return {
            "epsilon": Value.exact(epsilon),
            "loss": Value.exact(epsilon * radius),
            "far": Value.exact(epsilon * farthest),
            "bound": Value.exact(self.setting.bound(lambda distance: epsilon * min(distance, cut)), THEOREM),
        }

    def _of_law(self, swept: Sweep, place: int) -> dict[str, Value]:
        return {
            "unchanged": Value.exact(swept.unchanged[place]),
            "naming": Value.exact(swept.unchanged[place]),
            "running": Value.exact(swept.running[place]),
            "frequent": Value.exact(swept.frequent[place]),
            "pair": swept.pair[place],
            "moved": swept.moved[place],
        }

    def _calibrated_range(self) -> tuple[float, float]:
        """Return the epsilons between which the calibrated law keeps little and nearly all."""
        part = {"way": EXPONENTIAL.key}
        points = self.cells.points(part, lambda source: self.exponentials(EXPONENTIAL, math.inf, source))
        epsilons = [point.values["epsilon"].value for point in points if point.way == EXPONENTIAL.key]
        return min(epsilons), max(epsilons)


def _drawing(vocabulary: Vocabulary, rate: float, cut: float) -> Callable[[Ids, RandomSource], Ids]:
    """Return the release by a law of a sweep."""
    reach = truncation_radius(vocabulary, 2 * rate, None if math.isinf(cut) else cut)
    rows = Rows(vocabulary, Law(rate=rate, radius=reach, loss=2 * rate, certified=False))
    return lambda ids, source: rows.draw(ids, source.streams(b"compare %r" % rate, ids))


def _of_running_text(setting: Setting, noisy: Noisy, source: RandomSource) -> dict[str, Value]:
    """Return what stays of running text, and what an attacker names who sees the noisy vectors."""
    vocabulary, words, chances = setting.vocabulary, setting.running, np.log(setting.frequencies)
    released = noisy.release(words, source)
    ranks = recovered_ranks(released, vocabulary.points, words, likelihood=lambda far: chances + noisy.density(far))
    return {
        "running": of_share(vocabulary.nearest(released) == words),
        "frequent": of_share(ranks == 0, AT_MOST),
    }


def _distances(setting: Setting, first: Ids, second: Ids) -> Floats:
    """Return the distance of each word to the one beside it."""
    space, points = setting.vocabulary.space, setting.vocabulary.points
    if isinstance(space, Euclidean):
        return np.linalg.norm(points[first].astype(np.float64) - points[second], axis=1)
    pairs = zip(points[first].astype(np.float64), points[second].astype(np.float64), strict=True)
    return np.array([float(space.distances(a[None], b[None])[0, 0]) for a, b in pairs])


def _about(setting: Setting, texts: Texts | None) -> dict[str, str]:
    vocabulary, sizes = setting.vocabulary, setting.sizes
    about = {
        "Vocabulary": f"{len(vocabulary):,} words, {vocabulary.dimension} numbers each, {vocabulary.space.metric}; "
        f"sha256 {vocabulary.digest[:12]}",
        "Radius": f"{setting.radius:.4g}: the median distance of a word to its nearest neighbour. Two words lie "
        f"{setting.usual:.3g} apart on average, and at most {setting.farthest:.3g} of those looked at",
        "Measured": f"laws that are known: exactly, over all pairs of words; noise: {len(setting.sample):,} words, "
        f"{sizes.repeats} releases of each; pairs: {len(setting.paired):,} words with their nearest neighbours",
        "Intervals": "95%: Clopper-Pearson for shares, the normal law for means",
    }
    if texts is not None:
        about["Texts"] = f"{len(texts.task.texts):,} texts, {len(texts.words):,} words; by chance " + (
            f"{texts.task.chance['accuracy']:.3f} of the classes are right"
        )
    return about
