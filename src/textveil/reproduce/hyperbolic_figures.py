"""Figures 3 and 5 of Feyisetan, Diethe and Drake (2019): the density of the noise, and what words become.

Figure 3 draws the printed density (7) in one dimension; beside it stands where the printed chain really goes. Figure 5
counts releases: how often a word stays (N_w), how many words come out (S_w), and how many words give the output that
the fewest give (K_w). The paper's text has no numbers of it but those of its Table IV.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from textveil.measure.picture import blank
from textveil.noise.hyperbolic_published import log_height, metropolis_noise, printed_constant
from textveil.progress import progress
from textveil.reproduce import hyperbolic_laws as laws
from textveil.reproduce.hyperbolic import PAPER
from textveil.reproduce.hyperbolic_laws import EXPONENTIAL, PUBLISHED, Ids
from textveil.reproduce.kept_cells import KeptCells
from textveil.reproduce.panels import legend_below
from textveil.reproduce.pivots import Pivot
from textveil.reproduce.repeats import public_source
from textveil.reproduce.reproduction import Reproduction
from textveil.reproduce.sections import markdown_table
from textveil.vocabulary import Vocabulary

Floats = NDArray[np.float64]

DENSITY_EPSILONS = (0.5, 1.0, 2.0, 8.0)
CHAINS, CELLS = 20_000, 40
EPSILONS = tuple(PAPER)
RUNS, WORDS = 1000, 100
QUICK_RUNS, QUICK_WORDS = 200, 40
STATISTICS = {
    "N_w, mean": "mean count of releases that are the word itself",
    "N_w, largest": "largest count of releases that are the word itself",
    "S_w": "mean number of different outputs",
    "K_w": "mean over words of the fewest words that give one of its outputs",
}


def figure_3(*, chains: int = CHAINS) -> Reproduction:
    """Compare the printed density of one dimension with draws of the printed chain.

    Parameters
    ----------
    chains : walked for each epsilon
    """
    edges = np.linspace(-1, 1, CELLS + 1)
    panels = []
    for epsilon in DENSITY_EPSILONS:
        draws = metropolis_noise(public_source("figure 3", epsilon).streams(b"", np.arange(chains)), 1, epsilon, 600)
        shares = np.histogram(draws[:, 0], edges)[0] / chains
        printed = np.array([cell_mass(low, high, epsilon) for low, high in pairwise(edges)])
        panels.append(
            {
                "epsilon": epsilon,
                "mass of the printed density": float(printed.sum()),
                "distance of the chain": float(np.abs(shares - printed).sum() / 2),
                "by chance": chance_distance(printed, chains),
                "never moved": float((draws == 0).mean()),
                "printed": printed.tolist(),
                "chain": shares.tolist(),
            }
        )
    return Reproduction(
        numbers={"paper": "Feyisetan, Diethe and Drake 2019, Figure 3", "chains": chains, "panels": panels},
        tables=(_density_table(panels),),
        draw=lambda: _draw_density(panels, edges),
        text=_density_section(panels),
    )


def cell_mass(low: float, high: float, epsilon: float) -> float:
    """Return the printed density's mass of a part of the line."""
    places = np.linspace(low, high, 201)
    middles = (places[1:] + places[:-1]) / 2
    return float(density(middles, epsilon).sum() * (places[1] - places[0]))


def density(places: Floats, epsilon: float) -> Floats:
    """Return the printed density (7) of one dimension, with its printed constant."""
    heights: Floats = np.exp(log_height(places[:, None], epsilon)) / printed_constant(epsilon)
    return heights


def chance_distance(masses: Floats, draws: int) -> float:
    """Return the total variation that so many draws of the density itself are from it, in the mean and at most."""
    return float(np.sqrt(2 / np.pi * masses * (1 - masses) / draws).sum() / 2)


def figure_5(*, data: Path, quick: bool = False, vocabulary: Vocabulary | None = None) -> Reproduction:
    """Count what words become, as published and by `Exponential`.

    Parameters
    ----------
    data : see `hearst_words`
    quick : fewer words and runs
    vocabulary : of the ball, instead of that of Hearst patterns
    """
    words = vocabulary or laws.hearst_words(data)
    count, runs = (QUICK_WORDS, QUICK_RUNS) if quick else (WORDS, RUNS)
    ids = np.unique(((np.arange(count) + 0.5) * len(words) / count).astype(np.int64))
    kept = KeptCells("hyperbolic-figure-5", [words.digest, len(ids), runs, laws.STEPS])
    records: list[dict[str, Any]] = []
    with progress("Releasing", 2 * len(EPSILONS)) as step:
        for way in (PUBLISHED, EXPONENTIAL):
            for epsilon in EPSILONS:
                found = kept.get(f"{way} {epsilon}", partial(statistics, words, ids, way, epsilon, runs))
                printed = dict(zip(("N_w, largest", "N_w, mean"), map(float, PAPER[epsilon]), strict=True))
                records += [
                    {"way": way, "epsilon": epsilon, "statistic": name, "paper": printed.get(name), **found[name]}
                    for name in STATISTICS
                ]
                step(1, f"{way}, epsilon {epsilon:g}")
    numbers = {"paper": "Feyisetan, Diethe and Drake 2019, Figure 5", "words": len(words), "runs": runs}
    return Reproduction(
        numbers={**numbers, "measured": records},
        tables=(_table(records, len(ids), runs),),
        draw=lambda: _draw(records),
        records=records,
        text=_section(records, len(ids), runs),
    )


def released(vocabulary: Vocabulary, ids: Ids, way: str, epsilon: float, runs: int) -> Ids:
    """Return what each word becomes in so many runs; of the published mechanism all words meet the same noise."""
    source = public_source("figure 5", way, epsilon)
    repeated = np.repeat(ids, runs)
    if way == EXPONENTIAL:
        return laws.exponential(vocabulary, epsilon)(repeated, source).reshape(len(ids), runs)
    noise = metropolis_noise(source.streams(b"chain", np.arange(runs)), vocabulary.dimension, epsilon, laws.STEPS)
    if not noise.any():
        return repeated.reshape(len(ids), runs)
    return laws.words_around(vocabulary, ids, noise).astype(np.int64)


def statistics(vocabulary: Vocabulary, ids: Ids, way: str, epsilon: float, runs: int) -> dict[str, dict[str, float]]:
    """Release words and count."""
    return counted(ids, released(vocabulary, ids, way, epsilon, runs))


def counted(ids: Ids, outputs: Ids) -> dict[str, dict[str, float]]:
    """Return the statistics, of 1,000 runs where they are counts of runs, with the 95% interval of what is a mean."""
    stayed = (outputs == ids[:, None]).mean(axis=1) * 1000
    seen = [np.unique(row) for row in outputs]
    reached = np.bincount(np.concatenate(seen))
    found = {
        "N_w, mean": stayed,
        "S_w": np.array([len(own) for own in seen], dtype=np.float64),
        "K_w": np.array([reached[own].min() for own in seen], dtype=np.float64),
    }
    # Over the words, which were drawn from all; the largest has none.
    result = {
        name: {"value": float(own.mean()), "around": float(1.96 * own.std(ddof=1) / np.sqrt(len(own)))}
        for name, own in found.items()
    }
    return result | {"N_w, largest": {"value": float(stayed.max()), "around": 0.0}}


def _density_grid(panels: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    names = ("mass of the printed density", "distance of the chain", "by chance", "never moved")
    rows = [[f"{panel['epsilon']:g}", *(f"{panel[name]:.4f}" for name in names)] for panel in panels]
    return ["epsilon", "mass", "total variation of the chain", "by chance", "chains that never moved"], rows


def _density_table(panels: Sequence[Mapping[str, Any]]) -> Table:
    title = "The printed density of one dimension, and where the printed chain is after 600 steps"
    return Pivot(title, *_density_grid(panels)).rich()


def _density_section(panels: Sequence[Mapping[str, Any]]) -> str:
    return "\n\n".join(
        [
            "## Paper 2, Figure 3: the density",
            "`textveil reproduce hyperbolic-figure-3 -o figure.png`. The printed constant is right in one dimension: "
            "the mass is 1. The chain's total variation from the density stands beside that of as many draws of the "
            "density itself. What the chain does in 100 dimensions is in [its mechanism's "
            "page](mechanisms/hyperbolic.md). The paper's figure has no numbers to compare with.",
            "![The printed density and the printed chain](pictures/hyperbolic-figure-3.png)",
            markdown_table(*_density_grid(panels)),
        ]
    )


def grid(records: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the table, the paper's numbers in brackets."""
    rows = []
    for way, epsilon in dict.fromkeys((record["way"], record["epsilon"]) for record in records):
        own = [record for record in records if (record["way"], record["epsilon"]) == (way, epsilon)]
        rows.append([laws.shown_as(way), f"{epsilon:g}", *map(_cell, own)])
    return ["", "epsilon", *STATISTICS], rows


def _cell(record: Mapping[str, Any]) -> str:
    around = f" ± {record['around']:.3g}" if record["around"] else ""
    return f"{record['value']:.4g}{around}" + ("" if record["paper"] is None else f" ({record['paper']:g})")


def why(words: int) -> str:
    """Return why numbers of so many words differ from the paper's."""
    return (
        f"the paper measured 10,000 words of WebIsADb; here {words} words of Hearst patterns, so that K_w is at most "
        f"{words}; its chain's covariance and number of steps are not known"
    )


def _table(records: Sequence[Mapping[str, Any]], words: int, runs: int) -> Table:
    title = f"{words} words, {runs:,} runs; mean over words, 95% interval; the paper's in brackets"
    return Pivot(f"{title}. Differ since {why(words)}", *grid(records)).rich()


def _section(records: Sequence[Mapping[str, Any]], words: int, runs: int) -> str:
    return "\n\n".join(
        [
            "## Paper 2, Figure 5: what words become",
            f"`textveil reproduce hyperbolic-figure-5 --data FOLDER -o figure.png`: {words} words, {runs:,} runs each. "
            "Mean over the words with its 95% interval; in brackets the paper's Table IV, which has the same numbers.",
            f"Of the paper's mechanism all words meet the same {runs:,} draws of the noise: the intervals are over "
            "words and leave out what other draws would change, of N_w by up to "
            f"{1.96 * 1000 * math.sqrt(0.25 / runs):.0f}. {laws.IDLE}",
            "![N_w, S_w and K_w against epsilon, paper's mechanism and Exponential](pictures/hyperbolic-figure-5.png)",
            markdown_table(*grid(records)),
            "\n".join(f"- *{name}*: {meaning}." for name, meaning in STATISTICS.items()),
            f"Why they differ: {why(words)}.",
        ]
    )


def _draw_density(panels: Sequence[Mapping[str, Any]], edges: Floats) -> Any:
    figure = blank(11, 3.2)
    places, width = np.linspace(-0.999, 0.999, 667), edges[1] - edges[0]
    for axes, panel in zip(figure.subplots(1, len(panels), sharex=True), panels, strict=True):
        axes.stairs(np.array(panel["chain"]) / width, edges, fill=True, color="#f0c9a8", label="the printed chain")
        axes.plot(places, density(places, panel["epsilon"]), color="#0072b2", linewidth=1.6, label="density (7)")
        axes.set_title(f"epsilon = {panel['epsilon']:g}", loc="left", fontsize=10)
        axes.set(xlabel="x", ylim=(0, None))
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel("density")
    legend_below(figure, columns=2)
    return figure


def _draw(records: Sequence[Mapping[str, Any]]) -> Any:
    figure = blank(11.5, 3.4)
    looks = {PUBLISHED: ("#d55e00", "--", "s"), EXPONENTIAL: ("#0072b2", "-", "o")}
    for axes, name in zip(figure.subplots(1, len(STATISTICS)), STATISTICS, strict=True):
        for way, (colour, dashes, mark) in looks.items():
            own = [r for r in records if (r["way"], r["statistic"]) == (way, name)]
            axes.errorbar(
                [r["epsilon"] for r in own], [r["value"] for r in own], yerr=[r["around"] for r in own],
                color=colour, linestyle=dashes, marker=mark, markersize=4, linewidth=1.5, capsize=2,
                label=laws.shown_as(way),
            )  # fmt: skip
        if own[0]["paper"] is not None:
            axes.plot(
                [r["epsilon"] for r in own], [r["paper"] for r in own],
                ":", color="#555555", marker="D", markersize=3.5, linewidth=1.2, label="paper's Table IV",
            )  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_xticks(list(EPSILONS), [f"{epsilon:g}" for epsilon in EPSILONS])
        axes.minorticks_off()
        axes.set_yscale("symlog", linthresh=1)
        axes.set_ylim(0, 2 * max(r["value"] for r in records if r["statistic"] == name))
        axes.set_xlabel("epsilon")
        axes.set_title(name, loc="left", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    legend_below(figure, columns=3)
    return figure
