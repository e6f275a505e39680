"""Draw the pictures of the documentation: python docs/pictures.py [NAME ...] (all of them take a minute or two)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

import textveil as tv
from textveil.measure.picture import draw_word
from textveil.measure.utility.errors import vector_errors
from textveil.mechanisms.exponential.law import neighbourhood_radius, rounding_slack
from textveil.reproduce.adept import figure_1
from textveil.spaces import Poincare
from textveil.spaces.hyperbolic import Polar, walk
from textveil.vocabulary.pairs import distances_to_all, log_normalisers, steepest_pairs

# Where 150 dots an inch would make too large a file.
DOTS = {"disc": 100}
FOLDER = Path(__file__).parent / "pictures"
# Okabe and Ito's colours, told apart by nearly everyone; every line also has a label or a style of its own.
BLUE, ORANGE, GREEN, GREY, PURPLE = "#0072B2", "#D55E00", "#009E73", "#555555", "#AA3377"
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
    """Draw every picture, or those named."""
    FOLDER.mkdir(exist_ok=True)
    with plt.rc_context(STYLE):
        for name in sys.argv[1:] or PICTURES:
            save(PICTURES[name](), name)


def draw_bound() -> plt.Figure:
    """The factor e^(epsilon d) against the distance, with where neighbours of a word lie."""
    vocabulary = tv.Vocabulary.default()
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


def draw_unchanged() -> plt.Figure:
    """The share of words that stay against epsilon, for three mechanisms."""
    vocabulary = tv.Vocabulary.default()
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


def draw_vector_errors() -> plt.Figure:
    """The error of released vectors of a ball against the dimension, for five mechanisms and two epsilons."""
    dimensions = np.unique(np.geomspace(8, 1024, 36).round().astype(int))
    looks = {
        "Laplace in each coordinate": (GREY, ":", "Laplace, each coordinate", 3),
        "Laplace": (ORANGE, "--", "Laplace (l2)", -3),
        "Laplace with delta": (GREEN, "-", "Laplace (l2), δ = 1e-6", -6),
        "Gaussian": (PURPLE, "-.", "Gaussian, δ = 1e-6", 6),
        "PrivUnit": (BLUE, "-", "PrivUnit", 0),
    }
    figure, panels = plt.subplots(1, 2, figsize=(9, 4.4), sharey=True, gridspec_kw={"wspace": 0.08})
    for axes, epsilon in zip(panels, (1.0, 10.0), strict=True):
        errors = [vector_errors(int(n), epsilon) for n in dimensions]
        for name, (colour, dashes, _, _) in looks.items():
            axes.plot(dimensions, [error[name] for error in errors], dashes, color=colour, linewidth=2)
        axes.axhline(1, color="black", linewidth=1)
        axes.set(xscale="log", yscale="log", xlim=(8, 1024), ylim=(0.4, 4000), xlabel="dimension of the vector")
        axes.set_title(f"epsilon = {epsilon:g} for any two vectors", loc="left", fontsize=10, fontweight="bold")
        axes.set_xticks([8, 32, 128, 300, 768], ["8", "32", "128", "300", "768"])
        axes.minorticks_off()
    for name, (colour, _, text, above) in looks.items():
        panels[1].annotate(text, (1024, errors[-1][name]), (6, above), textcoords="offset points", va="center",
                           color=colour, fontweight="bold", annotation_clip=False)  # fmt: skip
    panels[1].annotate("releasing all zeros", (1024, 1), (6, 0), textcoords="offset points", va="center",
                       annotation_clip=False)  # fmt: skip
    panels[0].set_yticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    panels[0].set_ylabel("root mean square error / clip")
    return figure


def draw_vector_choice() -> plt.Figure:
    """Four questions that lead to a mechanism for vectors."""
    steps = [
        ("Is the vector that of a word\nof a public vocabulary?", "Exponential",
         "release the public vector of the word\nthat came out: no noise in it"),
        ("Must any two vectors be hidden\nequally well, near or far?", "PrivUnit",
         "one epsilon for any pair within the clip;\nunbiased"),
        ("Is a delta allowed, for vectors\nwithin a radius of each other?", "Laplace with delta, or Gaussian",
         "the first up to 128 dimensions; the second\nabove, or if many releases add up"),
        ("Do fewer dimensions do?", "PrivEmb",
         "a public projection with a certificate,\nthen Laplace noise"),
    ]  # fmt: skip
    figure, axes = plt.subplots(figsize=(8.4, 6))
    axes.set(xlim=(-1, 101), ylim=(0, 72))
    axes.axis("off")
    arrow = {"arrowstyle": "-|>", "color": GREY, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
    for place, (question, answer, why) in enumerate(steps):
        y = 66 - 15 * place
        box(axes, (20, y), question)
        box(axes, (76, y), answer, why)
        axes.annotate("", (51.6, y), (40.4, y), arrowprops=arrow)
        axes.text(45.6, y + 0.8, "yes", ha="center", color=GREY)
        axes.annotate("", (20, y - 10), (20, y - 5), arrowprops=arrow)
        axes.text(21.2, y - 7.4, "no", va="center", color=GREY)
    box(axes, (20, 6), "Laplace", "epsilon times the distance,\nno delta")
    return figure


def draw_disc() -> plt.Figure:
    """A word of a small tree in the Poincaré disc, with what replaces it."""
    return draw_word(tv.Exponential(tree(), epsilon=2.0), "dog")


def tree(step: float = 1.3) -> tv.Vocabulary:
    """Words in the Poincaré disc, each a step outward of its hypernym."""
    points, angles = {"entity": np.zeros(2)}, {"entity": 0.0}
    for line in TREE.split(";"):
        parent, *words = line.split()
        for number, word in enumerate(words):
            width = np.pi / 2 if parent == "entity" else min(0.9, 2.6 / len(words))
            angles[word] = angles[parent] + (number - (len(words) - 1) / 2) * width
            way = step * np.array([np.cos(angles[word]), np.sin(angles[word])])
            points[word] = walk(Polar.of_ball(points[parent]), way).ball()[0]
            angles[word] = np.arctan2(*points[word][::-1])
    return tv.Vocabulary(list(points), np.array(list(points.values())), space=Poincare(2))


TREE = """
entity animal place artifact food; animal mammal bird fish insect; place country city mountain river;
artifact vehicle tool instrument clothing; food fruit vegetable drink dish; mammal dog cat horse whale;
bird owl eagle sparrow penguin; fish trout salmon shark; insect ant bee beetle; country france kenya japan peru;
city london paris boston tokyo; mountain everest etna; river nile rhine thames; vehicle car bicycle train ship;
tool hammer saw drill; instrument violin piano flute drum; clothing hat coat shoe; fruit apple pear plum cherry;
vegetable carrot onion leek; drink tea coffee beer; dish soup pizza curry; dog poodle beagle terrier collie;
cat siamese tabby; horse pony mare; car taxi jeep; london soho camden
"""


def box(axes: plt.Axes, centre: tuple[float, float], title: str, more: str = "") -> None:
    """Draw a question, or an answer with what there is to say about it."""
    x, y = centre
    wide = 48.0 if x > 50 else 40.0
    axes.add_patch(FancyBboxPatch(
        (x - wide / 2, y - 4.8), wide, 9.6, boxstyle="round,pad=0.2,rounding_size=1.2", linewidth=1.4,
        facecolor="#eef5fb" if more else "white", edgecolor=BLUE if more else GREY,
    ))  # fmt: skip
    axes.text(x, y + (2.7 if more else 0), title, ha="center", va="center", fontweight="bold" if more else "normal")
    axes.text(x, y - 1.4, more, ha="center", va="center", fontsize=9)


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
    figure.savefig(FOLDER / f"{name}.png", dpi=DOTS.get(name, 150), bbox_inches="tight")
    plt.close(figure)


PICTURES: dict[str, Callable[[], plt.Figure]] = {
    "adept-figure-1": lambda: figure_1().draw(),
    "bound": draw_bound,
    "unchanged": draw_unchanged,
    "vector-errors": draw_vector_errors,
    "vector-choice": draw_vector_choice,
    "disc": draw_disc,
}

if __name__ == "__main__":
    main()
