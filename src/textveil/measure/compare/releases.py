"""Word mechanisms whose law can't be read, as points of a frontier: words are released and looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.measure.attacks import recovered_chances
from textveil.measure.compare.frontier import AT_LEAST, AT_MOST, SAMPLED, THEOREM, Point, Value
from textveil.measure.compare.intervals import of_mean, of_repeats, of_share
from textveil.measure.compare.noises import Noise, Noisy, Setup
from textveil.measure.compare.setting import Setting
from textveil.measure.compare.texts import Texts
from textveil.randomness import RandomSource
from textveil.spaces import Euclidean

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


def noise_points(
    setting: Setting, texts: Texts | None, source: RandomSource, *, noise: Noise, loss: float
) -> list[Point]:
    """Return a mechanism at one loss at the radius, one point; none where it does not exist."""
    try:
        setup = noise.build(setting, loss)
    except InvalidInputError:
        return []
    repeats = setting.sizes.repeats
    words = np.tile(setting.sample, repeats)
    released = setup.release(words, source)
    stayed = (released == words).reshape(repeats, -1)
    away = _distances(setting, words, released) / setting.usual
    values = {
        "epsilon": Value.exact(setup.epsilon, THEOREM),
        # Proved of the noisy vector; the word is made of it, and its own loss is not known.
        **{name: Value.exact(getattr(setup, name), AT_MOST) for name in ("loss", "far")},
        "unchanged": of_repeats(stayed),
        "naming": of_repeats(stayed, SAMPLED if noise.best_named else AT_LEAST),
        "moved": of_mean(away.reshape(repeats, -1).mean(axis=0)),
        "pair": _told_apart(setting, setup, source.at(len(words))),
    }
    if setup.noisy is not None:
        values |= _of_running_text(setting, setup.noisy, source)
    if noise.by_distance:
        values["bound"] = Value.exact(setting.bound(loss * setting.reach / setting.radius), THEOREM)
    if texts is not None:
        values["accuracy"] = texts.accuracy(setup.release(texts.words, source))
    return [Point(noise.way.key, values)]


def _told_apart(setting: Setting, setup: Setup, source: RandomSource) -> Value:
    """Return how often the attacker is right who takes the word of a pair that is nearer to the output."""
    own = np.tile(np.concatenate([setting.paired, setting.neighbours]), setting.sizes.repeats)
    other = np.tile(np.concatenate([setting.neighbours, setting.paired]), setting.sizes.repeats)
    released = setup.release(own, source)
    margin = _distances(setting, other, released) - _distances(setting, own, released)
    # Releases of a pair, in both directions, are one observation.
    right = np.where(margin == 0, 0.5, margin > 0).reshape(2 * setting.sizes.repeats, -1)
    return of_mean(right.mean(axis=0), AT_LEAST)


def _of_running_text(setting: Setting, noisy: Noisy, source: RandomSource) -> dict[str, Value]:
    """Return what stays of running text, and what attackers name who see the words, as they are, or the vectors."""
    vocabulary, words, chances = setting.vocabulary, setting.running, np.log(setting.frequencies)
    released = noisy.release(words, source)
    named = recovered_chances(released, vocabulary.points, words, likelihood=lambda far: chances + noisy.density(far))
    stayed = vocabulary.nearest(released) == words
    return {
        "running": of_share(stayed),
        "frequent": of_repeats(named[None], AT_MOST),
        "frequent_word": of_share(stayed, AT_LEAST),
    }


def _distances(setting: Setting, first: Ids, second: Ids) -> Floats:
    """Return the distance of each word to the one beside it."""
    space, points = setting.vocabulary.space, setting.vocabulary.points
    if isinstance(space, Euclidean):
        return np.asarray(np.linalg.norm(points[first].astype(np.float64) - points[second], axis=1))
    pairs = zip(points[first].astype(np.float64), points[second].astype(np.float64), strict=True)
    return np.array([float(space.distances(a[None], b[None])[0, 0]) for a, b in pairs])
