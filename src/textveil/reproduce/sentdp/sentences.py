"""Private sentences: what is left of the topic of AG News and of the similarity of STS-B sentence pairs.

A third party gets one release a sentence and learns topics from releases, with labels. The public set that
PublicResponse chooses from is either a part of AG News that nobody tests on ("in domain") or has no text of the task at
all ("out of domain"). Texts that are private here are in no public set. Beside it stand PrivUnit and Gaussian noise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from textveil.cache import cache_folder
from textveil.encoders import MiniLM, public_vectors
from textveil.encoders.encoder import Encoder
from textveil.measure.picture import blank
from textveil.mechanisms.candidates import Candidates
from textveil.mechanisms.gaussian import Gaussian
from textveil.mechanisms.privunit import PrivUnit
from textveil.mechanisms.public_response import PublicResponse
from textveil.progress import progress
from textveil.randomness import RandomSource
from textveil.reproduce.panels import legend_below
from textveil.reproduce.reproduction import Reproduction
from textveil.reproduce.sentdp.classify import Classifier, Labels, Vectors, rank_correlation, shown, spread
from textveil.reproduce.sentdp.files import rows_of

EPSILONS = (8.0, 12.0)
DELTA = 1e-5
SEEDS = 5
# Sets of other tasks: their path and columns of text.
OTHERS = {
    "sim/mrpc.tsv.gz": ("s1", "s2"),
    "cls/trec.tsv.gz": ("text",),
    "cls/cr.tsv.gz": ("text",),
}
_QUICK = 4

Release = Callable[[Vectors, RandomSource], Vectors]


@dataclass(frozen=True)
class Topics:
    """AG News: texts and their topics."""

    vectors: Vectors
    labels: Labels


@dataclass(frozen=True)
class Pairs:
    """The test pairs of STS-B and how similar people found them; the other sentences of STS-B are public."""

    first: Vectors
    second: Vectors
    scores: NDArray[np.float64]
    public: Vectors


@dataclass(frozen=True)
class Sets:
    """All that is read and encoded."""

    topics: Topics
    pairs: Pairs
    others: Vectors


def sentences(*, data: Path, quick: bool = False, encoder: Encoder | None = None) -> Reproduction:
    """Measure releases of sentences.

    Parameters
    ----------
    data : folder with cls/ag_news_test.tsv.gz, sim/stsb.tsv.gz and the sets of other tasks
    quick : take a quarter of all texts, and one seed
    encoder : by default MiniLM
    """
    sets = read(data, encoder or MiniLM(), one_in=_QUICK if quick else 1)
    seeds = 1 if quick else SEEDS
    measured: dict[tuple[str, float | None, str], list[float]] = {}
    with progress("Releasing", seeds) as step:
        for seed in range(seeds):
            for name, epsilon, measure, value in _one_seed(sets, seed):
                measured.setdefault((name, epsilon, measure), []).append(value)
            step()
    records = [
        {"mechanism": name, "epsilon": epsilon, "measure": measure, **spread(values), "runs": seeds}
        for (name, epsilon, measure), values in measured.items()
    ]
    counts = {"topics": len(sets.topics.labels), "pairs": len(sets.pairs.scores), "others": len(sets.others)}
    numbers = {"texts": counts, "runs": seeds, "delta": DELTA, "measured": records}
    return Reproduction(numbers=numbers, tables=(_table(records),), records=records, draw=lambda: _draw(records))


def read(folder: Path, encoder: Encoder, *, one_in: int = 1) -> Sets:
    """Read and encode all sets; of each every `one_in`-th text only."""
    rows = list(rows_of(folder, "cls/ag_news_test.tsv.gz", "label", "title", "description"))[::one_in]
    news = [f"{title}. {description}" for _, title, description in rows]
    topics = np.unique([label for label, _, _ in rows], return_inverse=True)[1].astype(np.int64)
    scored = list(rows_of(folder, "sim/stsb.tsv.gz", "split", "score", "s1", "s2"))[::one_in]
    tested = [row for row in scored if row[0] == "test"]
    first, second = ([row[column] for row in tested] for column in (2, 3))
    private = {*news, *first, *second}
    known = sorted({text for row in scored if row[0] != "test" for text in row[2:]} - private)
    cells = {text for name, columns in OTHERS.items() for row in rows_of(folder, name, *columns) for text in row}
    others = sorted(cells - private - set(known) - {""})[::one_in]
    kept = [news, first, second, known, others]
    whole = public_vectors(encoder, [text for texts in kept for text in texts], cache=cache_folder() / "public-vectors")
    parts = np.split(whole, np.cumsum([len(texts) for texts in kept])[:-1])
    scores = np.array([float(row[1]) for row in tested])
    return Sets(Topics(parts[0], topics), Pairs(parts[1], parts[2], scores, parts[3]), parts[4])


def _one_seed(sets: Sets, seed: int) -> list[tuple[str, float | None, str, float]]:
    """Cut AG News anew into a public half, a quarter to learn from and a quarter to test; measure everything once."""
    source = RandomSource.keyed(hashlib.sha256(b"textveil reproduce sentences %d" % seed).digest())
    order = np.argsort(source.streams(b"order", np.arange(len(sets.topics.labels))).words(1)[:, 0])
    public, learn, test = np.split(order, [len(order) // 2, len(order) * 3 // 4])
    news, stsb = sets.topics.vectors, sets.pairs.public
    found: list[tuple[str, float | None, str, float]] = []
    topics = partial(_topics, sets.topics, learn, test, source)
    clean = (*topics(_clean), *_similarity(sets.pairs, _clean, source))
    found += [("none: clean vectors", None, *one) for one in clean]
    for epsilon in EPSILONS:
        near = {
            "PublicResponse, in domain": (news[public], stsb),
            "PublicResponse, out of domain": (
                np.concatenate([stsb, sets.others]),
                np.concatenate([news, sets.others]),
            ),
        }
        for name, (for_topics, for_pairs) in near.items():
            found += [(name, epsilon, *one) for one in topics(_chosen(for_topics, epsilon))]
            found += [(name, epsilon, *one) for one in _similarity(sets.pairs, _chosen(for_pairs, epsilon), source)]
        for name, release in _noisy(news.shape[1], epsilon).items():
            found += [(name, epsilon, *one) for one in (*topics(release), *_similarity(sets.pairs, release, source))]
        mixed = _topics(sets.topics, learn, test, source, _chosen(news[public], epsilon), shuffle=True)
        mixed += _similarity(sets.pairs, _chosen(stsb, epsilon), source, shuffle=True)
        found += [("PublicResponse, in domain, shuffled labels", epsilon, *one) for one in mixed]
    return found


def _topics(
    news: Topics,
    learn: NDArray[np.int64],
    test: NDArray[np.int64],
    source: RandomSource,
    release: Release,
    *,
    shuffle: bool = False,
) -> list[tuple[str, float]]:
    """Return the accuracy on released and on clean test vectors of what was learnt from released ones."""
    labels = news.labels[learn]
    if shuffle:
        labels = labels[np.argsort(source.streams(b"labels", np.arange(len(learn))).words(1)[:, 0])]
    learnt = Classifier(release(news.vectors[learn], source), labels)
    truth = news.labels[test]
    return [
        ("AG News accuracy, released test", learnt.accuracy(release(news.vectors[test], source), truth)),
        ("AG News accuracy, clean test", learnt.accuracy(news.vectors[test], truth)),
    ]


def _similarity(
    pairs: Pairs, release: Release, source: RandomSource, *, shuffle: bool = False
) -> list[tuple[str, float]]:
    """Return the rank correlation of people's scores with the cosine of releases."""
    mixed = np.argsort(source.streams(b"scores", np.arange(len(pairs.scores))).words(1)[:, 0])
    scores = pairs.scores[mixed] if shuffle else pairs.scores
    first, second = (_units(release(one, source.at(row))) for row, one in ((0, pairs.first), (1 << 32, pairs.second)))
    return [("STS-B Spearman", rank_correlation(np.sum(first * second, axis=1), scores))]


def _units(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _clean(vectors: Vectors, source: RandomSource) -> Vectors:
    return vectors


def _chosen(public: Vectors, epsilon: float) -> Release:
    mechanism = PublicResponse(Candidates(public), epsilon=epsilon)
    return lambda vectors, source: mechanism.candidates.vectors[mechanism.release_indices(vectors, source=source)]


def _noisy(dimension: int, epsilon: float) -> dict[str, Release]:
    unit = PrivUnit(epsilon=epsilon, dimension=dimension)
    normal = Gaussian(epsilon=epsilon, delta=DELTA, sensitivity=2.0, dimension=dimension)
    return {
        "PrivUnit": lambda vectors, source: np.asarray(unit.release(vectors, source=source)),
        f"Gaussian, delta {DELTA:g}": lambda vectors, source: np.asarray(normal.release(vectors, source=source)),
    }


def _table(records: Sequence[dict[str, Any]]) -> Table:
    title = (
        f"One release a sentence: mean ± deviation over {records[0]['runs']} seeds. A classifier learns from releases "
        "and is tested on releases or on clean vectors; chance is 0.25, of a correlation 0"
    )
    table = Table(title=title, title_justify="left")
    measures = list(dict.fromkeys(record["measure"] for record in records))
    for name in ("mechanism", "epsilon", *measures):
        table.add_column(name, justify="left" if name == "mechanism" else "right")
    rows: dict[tuple[str, Any], dict[str, str]] = {}
    for record in records:
        rows.setdefault((record["mechanism"], record["epsilon"]), {})[record["measure"]] = shown(record)
    for (name, epsilon), cells in rows.items():
        table.add_row(name, "-" if epsilon is None else f"{epsilon:g}", *(cells.get(one, "-") for one in measures))
    return table


def _draw(records: Sequence[dict[str, Any]]) -> Any:
    """Draw a bar for each mechanism and epsilon, with its deviation; one panel a measure."""
    figure, names = blank(10, 3.6), list(dict.fromkeys(one["mechanism"] for one in records if one["epsilon"]))
    measures = list(dict.fromkeys(one["measure"] for one in records))
    for axes, measure in zip(figure.subplots(1, len(measures), sharey=True), measures, strict=True):
        some = [one for one in records if one["measure"] == measure]
        axes.axvline(some[0]["mean"], color="black", linewidth=1, label="clean vectors")
        for number, (epsilon, colour) in enumerate(zip(EPSILONS, ("#56b4e9", "#0072b2"), strict=True)):
            bars = {one["mechanism"]: one for one in some if one["epsilon"] == epsilon}
            places = [names.index(name) + 0.4 * number - 0.2 for name in bars]
            around = [one["deviation"] or 0.0 for one in bars.values()]
            means = [one["mean"] for one in bars.values()]
            axes.barh(places, means, 0.38, xerr=around, color=colour, label=f"ε = {epsilon:g}")
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.set_title(measure, loc="left", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
    axes.invert_yaxis()
    legend_below(figure, columns=3)
    return figure
