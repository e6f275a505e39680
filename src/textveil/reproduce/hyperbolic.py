"""Feyisetan, Diethe and Drake (2019): how often words stay (their Table IV), and what replaces them (their Table I).

The paper's noise comes from a Markov chain that epsilon hardly steers, so that its table is flat where epsilon is small
and the word is released as it is where epsilon is large. Beside it stand the mechanisms that are private. What the
tables show and what they don't: docs/mechanisms/hyperbolic.md.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from textveil.errors import InvalidInputError
from textveil.measure.calibration import calibrate, unchanged
from textveil.measure.picture import blank
from textveil.measure.statistics.sampled import clopper_pearson
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.hyperbolic import HyperbolicLaplace
from textveil.mechanisms.nearest_word import NearestWord
from textveil.mechanisms.words import WordMechanism
from textveil.noise.hyperbolic_published import first_acceptance
from textveil.noise.transforms import normals
from textveil.progress import progress
from textveil.randomness import RandomSource
from textveil.reproduce.hyperbolic_euclidean import LEFT_OUT, euclidean
from textveil.reproduce.hyperbolic_euclidean_showing import tables as euclidean_tables
from textveil.reproduce.panels import legend_below
from textveil.reproduce.reproduction import Reproduction
from textveil.spaces import Poincare
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import distances_to_all

Ids = NDArray[np.int64]

# Table IV: epsilon -> the largest N_w, and the mean N_w of the paper's own mechanism in 100 dimensions.
PAPER = {0.125: (134, 1.25), 0.5: (148, 1.62), 1.0: (172, 2.07), 2.0: (297, 3.92), 8.0: (960, 140.67)}
# The noise of the repaired variant exists above dimension - 1 = 9 only.
REPAIRED_EPSILONS = (9.01, 9.5, 10.0)
RUNS = 1000
WORDS = 24
CONFIDENCE = 0.95
_INSIDE = -1e-4

# Table I: word -> what the paper hopes for.
HOPED = {
    "ohio": "state",
    "techno": "music",
    "lastfm": "app",
    "milladore": "city",
    "firebrand": "product",
    "manthan": "movie",
}
# Words that name something above the first meaning of each in WordNet 3.0, and are in the vocabulary for that meaning.
HYPERNYMS = {
    "ohio": ("state", "province", "district", "territory", "location", "object", "entity"),
    "techno": ("music", "entity"),
    "firebrand": ("firewood", "fuel", "entity"),
}
SHARES = (0.2, 0.5, 0.8)
GENERAL_EPSILONS = (1.5, 2.0, 2.5)
_SHOWN = 5


def table_4(
    *,
    data: Path | None = None,
    quick: bool = False,
    vocabulary: Vocabulary | None = None,
    words: int = WORDS,
    runs: int = RUNS,
    levels: int = 3,
) -> Reproduction:
    """Count how often words stay, as published and repaired, and in Euclidean space if there is a folder of data.

    Parameters
    ----------
    data, quick : of the Euclidean columns; see `euclidean`. Quick, a tenth of the runs are made
    vocabulary : of the Poincaré ball; by default the one that comes with textveil
    words : how many of its words are measured
    runs : releases of each
    levels : of the generated tree that stands for a vocabulary of 100 dimensions
    """
    if quick and data is None:
        raise InvalidInputError(
            "hyperbolic-table-4 is only quick with its Euclidean columns: omit --quick, or name their data by --data"
        )
    nouns, tree = vocabulary or Vocabulary.hyperbolic(), generated_tree(levels, dimension=100)
    numbers = kept_numbers(nouns, tree, words, runs // 10 if quick else runs)
    tables = _kept_tables(numbers)
    if data is None:
        tables[-1].caption = LEFT_OUT
    else:
        numbers["euclidean"] = euclidean(data, quick=quick)
        tables += euclidean_tables(numbers["euclidean"])
    return Reproduction(numbers=numbers, tables=tables, draw=lambda: _draw_kept(numbers))


def kept_numbers(nouns: Vocabulary, tree: Vocabulary, words: int, runs: int) -> dict[str, Any]:
    """Return how often words of the ball stay."""
    ids, nodes = alone(nouns, words), alone(tree, words // 4)
    rows, repaired = [], []
    with progress("Releasing", len(PAPER) + len(REPAIRED_EPSILONS)) as step:
        for epsilon, (worst, mean) in PAPER.items():
            exact = Exponential(nouns, epsilon=epsilon)
            kept = exact.transition_rows(ids)[np.arange(len(ids)), ids]
            rows.append(
                {
                    "epsilon": epsilon,
                    "paper": {"mean": mean / 1000, "most": worst / 1000},
                    "published": counted(_published(nouns, epsilon), ids, runs),
                    "published_100": counted(_published(tree, epsilon), nodes, runs),
                    "leaves_the_origin": {str(n): first_acceptance(epsilon, n) for n in (nouns.dimension, 100)},
                    "exponential": {"mean": float(kept.mean()), "most": float(kept.max())},
                }
            )
            step()
        for epsilon in REPAIRED_EPSILONS:
            noisy = NearestWord(nouns, _noise(nouns, epsilon, "repaired"))
            repaired.append({"epsilon": epsilon, **counted(noisy, ids, runs)})
            step()
    return {
        "paper": "Feyisetan, Diethe and Drake 2019, Table IV",
        "runs": runs,
        "confidence": CONFIDENCE,
        "words": {"nouns": len(ids), "generated": len(nodes)},
        "vocabularies": {"nouns": len(nouns), "generated": len(tree)},
        "rows": rows,
        "repaired": repaired,
        "repaired_changes_at_most": change_bound(nouns, ids),
    }


def table_1(
    *,
    vocabulary: Vocabulary | None = None,
    shares: Sequence[float] = SHARES,
    epsilons: Sequence[float] = GENERAL_EPSILONS,
) -> Reproduction:
    """Say what becomes of the words of Table I, with all outputs alike and with general ones favoured.

    Parameters
    ----------
    vocabulary : of the Poincaré ball; by default the one that comes with textveil
    shares : of the vocabulary's words that stay, in the mean, if all outputs are alike; epsilon is chosen by each
    epsilons : of the laws that favour general words
    """
    nouns = vocabulary or Vocabulary.hyperbolic()
    plain, general = [], []
    with progress("Computing laws", len(shares) + len(epsilons)) as step:
        for share in shares:
            law = calibrate(lambda e: Exponential(nouns, epsilon=e), target="unchanged", at_most=share)
            plain.append(_strength(law))
            step()
        for epsilon in epsilons:
            general.append(_strength(Exponential(nouns, epsilon=epsilon, weights="general", calibrated=True)))
            step()
    numbers: dict[str, Any] = {
        "paper": "Feyisetan, Diethe and Drake 2019, Table I",
        "vocabulary": len(nouns),
        "unknown": nouns.words[nouns.unknown_id],
        "strengths": plain,
        "general": general,
    }
    tables = [_word_table(one, "all words alike") for one in numbers["strengths"]]
    tables += [_word_table(one, "general words favoured") for one in numbers["general"]]
    return Reproduction(numbers=numbers, tables=tuple(tables))


def generated_tree(levels: int, *, dimension: int, branches: int = 10) -> Vocabulary:
    """Return a tree in the ball as a vocabulary: each level lies 2 farther out, in directions near those above."""
    directions, radii = [np.zeros((1, dimension))], [np.zeros(1)]
    streams = _public().streams(b"tree", np.arange(branches**levels))
    for level in range(1, levels + 1):
        count = branches**level
        own = normals(streams.select(slice(0, count)), dimension) / math.sqrt(dimension)
        near = own + 2 * np.repeat(directions[-1], branches, axis=0)
        directions.append(near / np.linalg.norm(near, axis=1, keepdims=True))
        radii.append(np.full(count, 2.0 * level))
    points = np.concatenate(directions) * np.tanh(np.concatenate(radii) / 2)[:, None]
    return Vocabulary([f"word{number}" for number in range(len(points))], points, "word0", space=Poincare(dimension))


def alone(vocabulary: Vocabulary, count: int) -> Ids:
    """Return words, evenly spread over the vocabulary, that share their point with no other.

    Which of several words at one point comes out is a matter of rules, not of noise.
    """
    _, firsts, often = np.unique(vocabulary.points, axis=0, return_index=True, return_counts=True)
    single = np.sort(firsts[often == 1])
    return single[((np.arange(count) + 0.5) * len(single) / count).astype(np.int64)]


def counted(mechanism: WordMechanism, ids: Ids, runs: int) -> dict[str, Any]:
    """Return the mean and the largest share of runs in which words stay, with intervals.

    The interval of the mean is that of the pooled count, which is wider than need be where chances differ (Hoeffding
    1956); that of the largest holds for all words at once.
    """
    released = mechanism.release_ids(np.repeat(ids[:, None], runs, axis=1), source=_public())
    stayed = (released == ids[:, None]).sum(axis=1).astype(np.float64)
    doubt = 1 - CONFIDENCE
    low, high = clopper_pearson(stayed.sum(), runs * len(ids), doubt)
    commonest = int(np.bincount(released.ravel()).argmax())
    lows, highs = clopper_pearson(stayed, runs, doubt / len(ids))
    return {
        "mean": float(stayed.mean() / runs),
        "mean_interval": [float(low), float(high)],
        "most": float(stayed.max() / runs),
        "most_interval": [float(lows.max()), float(highs.max())],
        "commonest": [mechanism.vocabulary.words[commonest], float((released == commonest).mean())],
    }


def change_bound(vocabulary: Vocabulary, ids: Ids) -> float:
    """Return a bound on the mean chance that the repaired noise and the nearest word change a word, at any epsilon.

    A ray from x gets nearer to y at distance d only if the cosine of its angle with the way to y is above tanh(d / 2).
    """
    from scipy.special import betainc

    distances = distances_to_all(vocabulary, ids)
    caps = betainc((vocabulary.dimension - 1) / 2, 0.5, np.cosh(distances / 2) ** -2.0) / 2
    caps[np.arange(len(ids)), ids] = 0
    return float(np.minimum(caps.sum(axis=1), 1).mean())


def _published(vocabulary: Vocabulary, epsilon: float) -> NearestWord:
    return NearestWord(vocabulary, _noise(vocabulary, epsilon, "published"))


def _noise(vocabulary: Vocabulary, epsilon: float, variant: str) -> HyperbolicLaplace:
    return HyperbolicLaplace(epsilon=epsilon, dimension=vocabulary.dimension, variant=variant, margin=_INSIDE)


def _public() -> RandomSource:
    """A source that anyone can repeat: nothing here is private."""
    return RandomSource.keyed(hashlib.sha256(b"textveil reproduce hyperbolic").digest())


def _strength(mechanism: Exponential) -> dict[str, Any]:
    words = [_replaced(mechanism, word) for word in HOPED]
    return {"unchanged": unchanged(mechanism), "epsilon": mechanism.epsilon, "words": words}


def _replaced(mechanism: Exponential, word: str) -> dict[str, Any]:
    """Return what becomes of a word; words at its own point are counted apart, since nothing tells them from it."""
    vocabulary = mechanism.vocabulary
    own = vocabulary.ids([word])
    row = mechanism.transition_rows(own)[0]
    same = (vocabulary.points == vocabulary.points[own]).all(axis=1)
    order = [int(y) for y in np.argsort(-row, kind="stable") if not same[y]][:_SHOWN]
    found: dict[str, Any] = {
        "word": word,
        "enters_as": vocabulary.words[int(own[0])],
        "stays": float(row[own[0]]),
        "synonyms": float(row[same].sum() - row[own[0]]),
        "likeliest": [[vocabulary.words[y], float(row[y])] for y in order],
    }
    if word in vocabulary:
        general = [one for one in HYPERNYMS[word] if one in vocabulary]
        changed = float(row[~same].sum())
        found["general"] = float(row[vocabulary.ids(general)].sum()) / changed
        found["general_by_chance"] = len(general) / int((~same).sum())
    return found


def _kept_tables(numbers: dict[str, Any]) -> tuple[Table, ...]:
    runs, words, sizes = numbers["runs"], numbers["words"], numbers["vocabularies"]
    first = Table(
        title=f"N_w, how often 1,000 releases of a word are the word itself: mean over words; largest. Measured: "
        f"{words['nouns']} of {sizes['nouns']:,} nouns and {words['generated']} of {sizes['generated']:,} generated "
        f"words (the paper's mechanism: {runs:,} runs of each, intervals of {numbers['confidence']:.0%}; the output of "
        "most)",
        title_justify="left",
    )
    own = "paper's mechanism here"
    names = ("published, n = 100", f"{own}, n = 10", f"{own}, n = 100", "Exponential, n = 10, exact")
    for name in ("epsilon", *names):
        first.add_column(name, justify="right")
    for row in numbers["rows"]:
        cells = (_cell(row[name]) for name in ("paper", "published", "published_100", "exponential"))
        first.add_row(f"{row['epsilon']:g}", *cells)
    second = Table(
        title="The same for the repaired noise and the nearest word, n = 10. At any epsilon words change with a mean "
        f"chance of at most {numbers['repaired_changes_at_most']:.2g}",
        title_justify="left",
    )
    for name in ("epsilon", "mean; largest"):
        second.add_column(name, justify="right")
    for row in numbers["repaired"]:
        second.add_row(f"{row['epsilon']:g}", _cell(row))
    return first, second


def _cell(found: dict[str, Any]) -> str:
    parts = []
    for name in ("mean", "most"):
        interval = found.get(f"{name}_interval")
        tail = f" ({_short(interval[0])} to {_short(interval[1])})" if interval else ""
        parts.append(f"{_short(found[name])}{tail}")
    if "commonest" in found and found["commonest"][1] > 0.5:
        parts.append(f"{found['commonest'][0]} {found['commonest'][1]:.0%}")
    return "; ".join(parts)


def _short(share: float) -> str:
    return f"{1000 * share:,.0f}" if share >= 0.1 or share == 0 else f"{1000 * share:.2g}"


def _word_table(strength: dict[str, Any], weights: str) -> Table:
    title = f"{weights}, epsilon {strength['epsilon']:.4g}: {strength['unchanged']:.0%} of all words stay"
    table = Table(title=title, title_justify="left")
    for name in ("word", "paper hopes", "enters as", "stays", "likeliest other words", "hypernyms among replacements"):
        table.add_column(name)
    for one in strength["words"]:
        likeliest = ", ".join(f"{word} {chance:.2%}" for word, chance in one["likeliest"])
        general = f"{one['general']:.1%} (by chance {one['general_by_chance']:.3%})" if "general" in one else "-"
        alike = f", synonym {one['synonyms']:.1%}" if one["synonyms"] else ""
        stays = f"{one['stays']:.1%}{alike}"
        table.add_row(one["word"], HOPED[one["word"]], one["enters_as"], stays, likeliest, general)
    return table


def _draw_kept(numbers: dict[str, Any]) -> Any:
    """Draw the mean and the largest N_w against epsilon, one line for each mechanism."""
    figure = blank(9.5, 3.8)
    lines = (
        ("paper", "published Table IV, n = 100", "#999999", ":", "D"),
        ("published", "paper's mechanism here, n = 10", "#d55e00", "--", "s"),
        ("published_100", "paper's mechanism here, n = 100 (generated)", "#e69f00", "-.", "^"),
        ("exponential", "Exponential, n = 10: proved", "#0072b2", "-", "o"),
    )
    rows = numbers["rows"]
    panels = figure.subplots(1, 2, sharey=True)
    for axes, which, title in zip(
        panels, ("mean", "most"), ("(a) Mean over words", "(b) Largest of the words measured"), strict=True
    ):
        for name, label, colour, dashes, mark in lines:
            kept = [1000 * row[name][which] for row in rows]
            axes.plot(
                [row["epsilon"] for row in rows], kept, dashes, color=colour, marker=mark, markersize=4, linewidth=1.6,
                label=label,
            )  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_xticks(list(PAPER), [f"{epsilon:g}" for epsilon in PAPER])
        axes.minorticks_off()
        axes.set_yscale("symlog", linthresh=1)
        axes.set_yticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1,000"])
        axes.set_ylim(-0.1, 1500)
        axes.set_xlabel("epsilon")
        axes.set_title(title, loc="left", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e5e5e5", linewidth=0.6)
    panels[0].set_ylabel("N_w: times that a word stays, of 1,000")
    legend_below(figure, columns=2)
    return figure
