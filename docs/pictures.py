"""Draw the pictures of the documentation from the default vocabulary: python docs/pictures.py (a minute or two)."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

import textveil as tv
from textveil.mechanisms.exponential.law import neighbourhood_radius, rounding_slack
from textveil.vocabulary.pairs import distances_to_all, log_normalisers, steepest_pairs

FOLDER = Path(__file__).parent / "pictures"
# Okabe and Ito's colours, told apart by nearly everyone; every line also has a label or a style of its own.
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#555555"
STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
}


def main() -> None:
    """Draw every picture."""
    vocabulary = tv.Vocabulary.default()
    FOLDER.mkdir(exist_ok=True)
    with plt.rc_context(STYLE):
        save(draw_bound(vocabulary), "bound")
        save(draw_unchanged(vocabulary), "unchanged")


def draw_bound(vocabulary: tv.Vocabulary) -> plt.Figure:
    """The factor e^(epsilon d) against the distance, with where neighbours of a word lie."""
    figure, axes = plt.subplots(figsize=(7.2, 4.2))
    distance = np.linspace(0, 8.4, 200)
    lines = [(0.5, BLUE, "-", 7.0), (1.0, ORANGE, "--", 6.1), (2.0, GREEN, "-.", 3.95)]
    for epsilon, colour, dashes, place in lines:
        axes.plot(distance, np.exp(epsilon * distance), dashes, color=colour, linewidth=2)
        axes.annotate(
            f"epsilon = {epsilon:g}", (place, np.exp(epsilon * place)), (-6, 6), textcoords="offset points",
            ha="right", color=colour, fontweight="bold",
        )  # fmt: skip
    ranks, middle = neighbours(vocabulary)
    for (rank, (low, median, high)), height in zip(ranks.items(), (0.05, 0.1, 0.15), strict=True):
        text = {1: "nearest word", 10: "10th nearest", 100: "100th nearest"}[rank]
        axes.plot([low, high], [height, height], color=GREY, linewidth=5, alpha=0.35, solid_capstyle="butt",
                  transform=axes.get_xaxis_transform())  # fmt: skip
        axes.plot(median, height, "o", color="black", markersize=5, transform=axes.get_xaxis_transform())
        axes.text(high + 0.08, height, text, va="center", fontsize=9, transform=axes.get_xaxis_transform())
    axes.plot(middle, 0.05, "o", color="black", markersize=5, transform=axes.get_xaxis_transform())
    axes.text(middle + 0.1, 0.05, "a random word", va="center", fontsize=9, transform=axes.get_xaxis_transform())
    axes.set(xlim=(0, 8.4), ylim=(0.06, 1e5), yscale="log", xlabel="distance of two words")
    axes.set_yticks([1, 10, 100, 1e3, 1e4, 1e5], ["1", "10", "100", "1,000", "10,000", "100,000"])
    axes.minorticks_off()
    axes.set_ylabel("any output is at most\nthis many times as likely")
    return figure


def draw_unchanged(vocabulary: tv.Vocabulary) -> plt.Figure:
    """The share of words that stay against epsilon, for three mechanisms."""
    figure, axes = plt.subplots(figsize=(7.2, 4.0))
    radius = neighbourhood_radius(vocabulary)
    axes.plot(*exponential(vocabulary, radius), "-", color=BLUE, linewidth=2)
    axes.plot(*exponential(vocabulary, np.inf), "--", color=ORANGE, linewidth=2)
    axes.plot(*nearest(vocabulary), ".-.", color=GREEN, linewidth=2)
    labels = [
        (f"Exponential,\nradius {radius:g}", (2.60, 0.60), (14, -18), BLUE, "left"),
        ("Exponential,\nno radius", (2.15, 0.33), (-16, 18), ORANGE, "right"),
        ("Laplace noise, then\nthe nearest word", (8.6, 0.62), (10, -22), GREEN, "left"),
    ]
    for text, place, offset, colour, side in labels:
        axes.annotate(text, place, offset, textcoords="offset points", color=colour, fontweight="bold", ha=side)
    axes.set(xscale="log", xlim=(0.7, 25), ylim=(0, 1.02), xlabel="epsilon, per unit of distance")
    axes.set_xticks([1, 2, 3, 5, 10, 20], ["1", "2", "3", "5", "10", "20"])
    axes.minorticks_off()
    axes.set_yticks(np.linspace(0, 1, 6), [f"{share:.0%}" for share in np.linspace(0, 1, 6)])
    axes.set_ylabel("words that stay as they are")
    return figure


def neighbours(vocabulary: tv.Vocabulary, sample: int = 2000) -> tuple[dict[int, tuple[float, ...]], float]:
    """Return quartiles of the distance to the 1st, 10th and 100th nearest word, and the median distance."""
    ids = np.linspace(0, len(vocabulary) - 1, sample).astype(np.int64)
    found: dict[int, list[np.ndarray]] = {1: [], 10: [], 100: []}
    middles = []
    for start in range(0, sample, 250):
        distances = distances_to_all(vocabulary, ids[start : start + 250])
        ordered = np.partition(distances, list(found), axis=1)
        middles.append(np.median(distances, axis=1))
        for rank, values in found.items():
            values.append(ordered[:, rank])
    quartiles = {rank: tuple(np.quantile(np.concatenate(values), [0.25, 0.5, 0.75])) for rank, values in found.items()}
    return quartiles, float(np.median(np.concatenate(middles)))


def exponential(vocabulary: tv.Vocabulary, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the exact loss of laws of many rates, which is their epsilon, and the share of words that each keeps."""
    rates = np.linspace(0.2, 3.95, 16)
    normalisers = log_normalisers(vocabulary, rates, radius=radius)
    worst = steepest_pairs(vocabulary, normalisers, radius=radius, slack=rounding_slack(vocabulary))
    return smooth(rates + worst.slope, np.exp(-normalisers).mean(axis=1))


def nearest(vocabulary: tv.Vocabulary, sample: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Return epsilons and the share of sampled words that noise and the nearest word keep."""
    ids = np.linspace(0, len(vocabulary) - 1, sample).astype(np.int64)
    epsilons = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 22.0])
    shares = []
    for epsilon in epsilons:
        mechanism = tv.NearestWord(vocabulary, tv.Laplace(epsilon=float(epsilon), dimension=vocabulary.dimension))
        shares.append(float((mechanism.release_ids(ids) == ids).mean()))
    return epsilons, np.array(shares)


def smooth(epsilons: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Put points between by straight lines in the log-odds, which are almost straight there."""
    odds = np.log(shares / (1 - shares))
    fine = np.linspace(epsilons[0], epsilons[-1], 300)
    return fine, 1 / (1 + np.exp(-np.interp(fine, epsilons, odds)))


def save(figure: plt.Figure, name: str) -> None:
    """Write a picture."""
    figure.savefig(FOLDER / f"{name}.png", dpi=150, bbox_inches="tight")
    plt.close(figure)


if __name__ == "__main__":
    main()
