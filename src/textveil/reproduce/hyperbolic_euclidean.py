"""The Euclidean columns of Table IV of Feyisetan, Diethe and Drake (2019): GloVe, Laplace noise, nearest word.

N_w counts how many of 1,000 releases of a word are the word itself. The table sets epsilon so that the word that stays
most (the worst case) stays as often as in the ball, and compares the mean over words (the expected N_w). Here that is
done for the published worst cases and for those of the ball measured on the same words.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.nearest_word import NearestWord
from textveil.noise.hyperbolic_published import metropolis_noise
from textveil.progress import Step, progress
from textveil.reproduce import hyperbolic_laws as laws
from textveil.reproduce.hyperbolic_laws import EXPONENTIAL, PUBLISHED, Ids
from textveil.reproduce.kept_cells import KeptCells
from textveil.reproduce.repeats import folder_digest, interval, public_source
from textveil.vocabulary import Vocabulary

Floats = NDArray[np.float64]

EPSILONS = (0.125, 0.5, 1.0, 2.0, 8.0)
RUNS = 1000
# Words that stayed most in the first draws, and those of them that stayed most in the second ones: the worst case is
# looked for among the latter, with fresh draws.
NARROWED, STUBBORN = 400, 20
# In the ball central words stay; fewer will do.
CENTRAL = 10
MISSING = "EUC-200 is left out: GloVe's vectors of 200 dimensions can't be had"
LEFT_OUT = f"The columns EUC-100 and EUC-300 need GloVe's vectors: name their folder by --data. {MISSING}"
_AT_ONCE = 512


class Column(NamedTuple):
    """Vectors, as they are or scaled to length 1, and the least and largest epsilon that are tried."""

    dimension: int
    unit: bool
    least: float
    largest: float


COLUMNS = {
    "EUC-100": Column(100, False, 1.1, 13.0),
    "EUC-300": Column(300, False, 1.7, 20.0),
    "EUC-100, length 1": Column(100, True, 18.0, 100.0),
    "EUC-300, length 1": Column(300, True, 26.0, 150.0),
}


class Effort(NamedTuple):
    """Repeats, in each the draws for all words, for fewer and for the most stubborn, and how many epsilons."""

    repeats: int
    first: int
    second: int
    fresh: int
    points: int


FULL, QUICK = Effort(5, 2, 12, 400, 11), Effort(3, 1, 12, 200, 9)


class Curve(NamedTuple):
    """Shares of releases that are the word itself, by repeat and epsilon."""

    epsilons: Floats
    expected: Floats
    worst: Floats
    # The least share, but 0, that each can tell.
    units: tuple[float, float]


def euclidean(
    data: Path,
    *,
    quick: bool = False,
    vocabulary: Vocabulary | None = None,
    columns: Mapping[str, Column] | None = None,
) -> dict[str, Any]:
    """Return the expected N_w of the columns where their worst case is that of the ball, published and measured here.

    Parameters
    ----------
    data : folder with GloVe's vectors; see `hearst_words` and `paper_cells` for the rest
    quick : 100 dimensions only, fewer draws
    vocabulary : of the ball, instead of that of Hearst patterns
    columns : instead of `COLUMNS`
    """
    words, effort = vocabulary or laws.hearst_words(data), QUICK if quick else FULL
    chosen = columns or {name: one for name, one in COLUMNS.items() if not quick or one.dimension == 100}
    files = [file for dimension in sorted({one.dimension for one in chosen.values()}) for file in _files(dimension)]
    kept = KeptCells(
        "hyperbolic-table-4",
        [folder_digest(data, files), words.digest, effort, NARROWED, STUBBORN, CENTRAL, laws.STEPS],
    )
    curves, sizes = {}, {}
    with progress("Releasing", 2 * len(EPSILONS) + 3 * len(chosen) * effort.points) as step:
        ball = [_in_ball(words, way, epsilon, effort, kept, step) for way in _WAYS for epsilon in EPSILONS]
        for name, column in chosen.items():
            glove = glove_words(data, words.words, column)
            sizes[name] = len(glove)
            curves[name] = released_curve(glove, name, column, effort, kept, step)
    paper = laws.paper_cells(data, "Table IV")
    return {
        "words": {"ball": len(words), **sizes},
        "effort": {**effort._asdict(), "narrowed": NARROWED, "stubborn": STUBBORN},
        "curves": {name: _as_numbers(curve) for name, curve in curves.items()},
        "at the published worst case": [_at_published(curves, paper, epsilon) for epsilon in EPSILONS],
        "at the worst case here": [_at_measured(curves, row) for row in ball],
        "left out": MISSING + ("; EUC-300 is left out by --quick" if quick else ""),
    }


def glove_words(folder: Path, words: Sequence[str], column: Column) -> Vocabulary:
    """Return those of some words that GloVe's file of the column's dimension has, with their vectors there."""
    vectors, names = (folder / file for file in _files(column.dimension))
    with gzip.open(names, "rt", encoding="utf-8", newline="\n") as file:
        places = {line.rstrip("\n"): place for place, line in enumerate(file)}
    found = [word for word in words if word in places]
    points = np.load(vectors)["vectors"][[places[word] for word in found]].astype(np.float32)
    if column.unit:
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Vocabulary(found, points)


def held_out(stayed: Floats) -> Floats:
    """Return the worst case of each repeat: the share of the word that stayed most in the others.

    The largest of noisy shares is too large in the mean; the share of a word that other draws chose is not.
    """
    others = stayed.sum(axis=0) - stayed
    worst: Floats = stayed[np.arange(len(stayed)), others.argmax(axis=1)]
    return worst


def matched(curve: Curve, target: float) -> dict[str, Any] | None:
    """Return epsilon where the worst case is the target, and the expected N_w there, over repeats; None: not tried.

    Odds are interpolated between epsilons, both in logarithms. A worst case that no count tells from 1 is half a
    release less.
    """
    found = []
    places = np.log(curve.epsilons)
    goal = _log_odds(np.array(target), curve.units[1])
    for expected, worst in zip(curve.expected, curve.worst, strict=True):
        odds = _log_odds(worst, curve.units[1])
        reached = np.flatnonzero(odds >= goal)
        if not len(reached) or reached[0] == 0:
            return None
        pair = slice(reached[0] - 1, reached[0] + 1)
        place = np.interp(goal, odds[pair], places[pair])
        there = np.interp(place, places, _log_odds(expected, curve.units[0]))
        found.append((float(np.exp(place)), RUNS / (1 + float(np.exp(-there)))))
    epsilons, means = zip(*found, strict=True)
    return {"epsilon": float(np.mean(epsilons)), **interval(means)}


def in_ball_published(words: Vocabulary, epsilon: float, effort: Effort) -> dict[str, list[float]]:
    """Return the expected and the worst share of the paper's mechanism in each repeat; all words meet the same draws.

    Draws that never moved leave every word as it is. Of those that moved, the first is added to every word.
    """
    moved, shares = [], []
    for run in range(effort.repeats):
        streams = public_source("table 4", PUBLISHED, epsilon, run).streams(b"chain", np.arange(effort.fresh))
        noise = metropolis_noise(streams, words.dimension, epsilon, laws.STEPS)
        moved.append(noise[noise.any(axis=1)])
        shares.append(len(moved[-1]) / len(noise))
    share = np.array(shares)[:, None]
    first = np.array([_stay(words, np.arange(len(words)), noise[:1]) for noise in moved])
    stubborn = most_stubborn(first.sum(axis=0), CENTRAL)
    fresh = np.array([_stay(words, stubborn, noise[1:]) for noise in moved])
    return {
        "expected": (1 - share + share * first).mean(axis=1).tolist(),
        "worst": held_out(1 - share + share * fresh).tolist(),
    }


def in_ball_exponential(words: Vocabulary, epsilon: float) -> dict[str, list[float]]:
    """Return the expected and the worst share of `Exponential`, exactly."""
    law, kept = Exponential(words, epsilon=epsilon, calibrated=True), []
    for first in range(0, len(words), _AT_ONCE):
        ids = np.arange(first, min(first + _AT_ONCE, len(words)))
        kept.append(law.transition_rows(ids)[np.arange(len(ids)), ids])
    shares = np.concatenate(kept)
    return {"expected": [float(shares.mean())], "worst": [float(shares.max())]}


def most_stubborn(stayed: Floats, count: int) -> Ids:
    """Return the words that stayed most."""
    return np.argsort(-stayed, kind="stable")[:count]


_WAYS: dict[str, Callable[[Vocabulary, float, Effort], dict[str, list[float]]]] = {
    PUBLISHED: in_ball_published,
    EXPONENTIAL: lambda words, epsilon, _: in_ball_exponential(words, epsilon),
}


def _in_ball(
    words: Vocabulary, way: str, epsilon: float, effort: Effort, kept: KeptCells, step: Step
) -> dict[str, Any]:
    found = kept.get(f"{way} {epsilon}", partial(_WAYS[way], words, epsilon, effort))
    step(1, f"the ball: {way}, epsilon {epsilon:g}")
    scaled = {name: interval([RUNS * share for share in shares]) for name, shares in found.items()}
    return {"way": way, "epsilon": epsilon, **scaled}


def released_curve(glove: Vocabulary, name: str, column: Column, effort: Effort, kept: KeptCells, step: Step) -> Curve:
    """Release all words at all epsilons, and again those that stayed most, twice fewer.

    A word that stays at one epsilon stays at the others: all together tell which words those are.
    """
    epsilons, everything = np.geomspace(column.least, column.largest, effort.points), np.arange(len(glove))

    def stayed(epsilon: float, part: str, ids: Ids, draws: int) -> Floats:
        law = NearestWord(glove, Laplace(epsilon=epsilon, dimension=glove.dimension))
        asked = np.repeat(ids[:, None], draws, axis=1)
        sources = [public_source("table 4", name, epsilon, part, run) for run in range(effort.repeats)]
        return np.array([(law.release_ids(asked, source=one) == asked).mean(axis=1) for one in sources])

    def all_words(epsilon: float) -> dict[str, list[float]]:
        found = stayed(epsilon, "all words", everything, effort.first)
        return {"expected": found.mean(axis=1).tolist(), "counts": (found.sum(axis=0) * effort.first).round().tolist()}

    def cells(part: str, compute: Callable[[float], Any]) -> list[Any]:
        found = []
        for epsilon in epsilons.tolist():
            found.append(kept.get(f"{name} {epsilon} {part}", partial(compute, epsilon)))
            step(1, f"{name}, epsilon {epsilon:.3g}, {part}")
        return found

    first = cells("all words", all_words)
    some = most_stubborn(np.sum([one["counts"] for one in first], axis=0), NARROWED)
    second = cells("some words", lambda one: stayed(one, "some words", some, effort.second).sum(axis=0).tolist())
    few = some[most_stubborn(np.sum(second, axis=0), STUBBORN)]
    worst = cells("few words", lambda one: held_out(stayed(one, "few words", few, effort.fresh)).tolist())
    units = 1 / (effort.first * len(glove)), 1 / effort.fresh
    return Curve(epsilons, np.array([one["expected"] for one in first]).T, np.array(worst).T, units)


def _stay(words: Vocabulary, ids: Ids, noise: Floats) -> Floats:
    """Return the share of the draws that leave each word where it was; all, if there is no draw."""
    if not len(noise):
        return np.ones(len(ids))
    shares: Floats = (laws.words_around(words, ids, noise) == ids[:, None]).mean(axis=1)
    return shares


def _log_odds(shares: Floats, unit: float) -> Floats:
    inside = np.clip(shares, unit / 2, 1 - unit / 2)
    odds: Floats = np.log(inside / (1 - inside))
    return odds


def _files(dimension: int) -> tuple[str, str]:
    name = f"vectors/glove.6B.{dimension}d.80k_plus_tasks"
    return f"{name}.f16.npz", f"{name}.words.txt.gz"


def _as_numbers(curve: Curve) -> list[dict[str, Any]]:
    return [
        {"epsilon": epsilon, "expected": interval(RUNS * expected), "worst": interval(RUNS * worst)}
        for epsilon, expected, worst in zip(curve.epsilons.tolist(), curve.expected.T, curve.worst.T, strict=True)
    ]


def _at_published(curves: Mapping[str, Curve], paper: Mapping[tuple[str, str], str], epsilon: float) -> dict[str, Any]:
    printed = {column: float(value) for (row, column), value in paper.items() if row == f"eps={epsilon:g}"}
    worst, ball = printed["worst-case (all models)"], printed["expected HYP-100"]
    found = {
        name: {"here": _compared(curve, worst, ball), "paper": printed.get(f"expected {name.split(',')[0]}")}
        for name, curve in curves.items()
    }
    return {"epsilon": epsilon, "worst": worst, "expected": ball, "columns": found}


def _at_measured(curves: Mapping[str, Curve], row: dict[str, Any]) -> dict[str, Any]:
    worst, ball = row["worst"]["mean"], row["expected"]["mean"]
    return {**row, "columns": {name: {"here": _compared(curve, worst, ball)} for name, curve in curves.items()}}


def _compared(curve: Curve, worst: float, ball: float) -> dict[str, Any] | None:
    found = matched(curve, worst / RUNS)
    return found and {**found, "times": found["mean"] / ball}
