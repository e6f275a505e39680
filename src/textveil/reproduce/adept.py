"""Habernal (EMNLP 2021) on ADePT: pairs that its noise does not cover, and what correct noise costs.

Figure 1 of the paper draws random vectors, clips them to the l2 ball of radius C and counts the pairs whose l1 distance
is above 2C, the sensitivity that ADePT assumes. Beside it stands what that means for the promise: the true epsilon, and
delta at the epsilon claimed. The paper's "sigma^2 = 0.1 C" has two readings, which agree for C = 10 only: its program
has a standard deviation of 0.1 C. Mathematics: docs/mechanisms/clipped-laplace.md.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from textveil.errors import InvalidInputError
from textveil.measure.picture import blank
from textveil.measure.utility.errors import vector_errors
from textveil.mechanisms.clipped_laplace import ClippedLaplace
from textveil.mechanisms.gaussian import Gaussian
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.privunit import PrivUnit
from textveil.mechanisms.vectors import VectorMechanism
from textveil.noise.clipping import clipped
from textveil.noise.product_laplace_curve import published_delta
from textveil.noise.transforms import normals, uniforms
from textveil.randomness import RandomSource, Streams
from textveil.reproduce.reproduction import Reproduction

Floats = NDArray[np.float64]

# Laws of a coordinate, C = 1: the standard deviation of a normal law, or None for the uniform law on (-1, 1).
LAWS = {
    "uniform (-C, C)": None,
    "normal, sd 0.1 C": 0.1,
    "normal, var 0.1 C (C = 1)": math.sqrt(0.1),
}
DIMENSIONS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 96, 128, 256, 512, 1024)
EPSILONS = (1.0, 4.0, 8.0)
PAIRS = 10_000
NOISE_ROWS = (
    (32, 1.0),
    (32, 4.0),
    (32, 10.0),
    (32, 32.0),
    (128, 1.0),
    (128, 10.0),
    (512, 1.0),
    (768, 10.0),
    (1024, 1.0),
    (1024, 10.0),
)
DELTA = 1e-6
# Numbers of noise that are drawn for a cell of the table: enough to know its error to a quarter of a percent.
NOISE_NUMBERS = 1 << 18

# Pairs at exactly 2C are not counted because of rounding.
_TOLERANCE = 1e-9
_NUMBERS_AT_ONCE = 1 << 21


def violating_share(
    law: str, dimension: int, *, pairs: int = PAIRS, order: int = 2, source: RandomSource | None = None
) -> float:
    """Return the share of random pairs that are more than 2C apart in the l1 distance after clipping to length C.

    Parameters
    ----------
    law : of a coordinate, a name of `LAWS`
    dimension : length of a vector
    pairs : how many are drawn
    order : the norm of clipping; 2 is the paper's, with 1 no pair can be that far apart
    source : where the pairs come from; by default a public one
    """
    if law not in LAWS:
        raise InvalidInputError(f"law must be one of {', '.join(LAWS)} (got {law!r})")
    streams = (source or _public()).streams(f"{law} {dimension}".encode(), np.arange(pairs))
    portion = max(1, _NUMBERS_AT_ONCE // (2 * dimension))
    violating = 0
    for first in range(0, pairs, portion):
        vectors = _draw(law, streams.select(slice(first, first + portion)), 2 * dimension).reshape(-1, dimension)
        kept = clipped(vectors, 1.0, order=order).reshape(-1, 2, dimension)
        violating += int((np.abs(kept[:, 0] - kept[:, 1]).sum(axis=1) > 2 + _TOLERANCE).sum())
    return violating / pairs


def figure_1(*, dimensions: Sequence[int] = DIMENSIONS, pairs: int = PAIRS) -> Reproduction:
    """Compute Figure 1, and beside it what the published noise really promises."""
    numbers = {
        "paper": "Habernal 2021, Figure 1",
        "pairs": pairs,
        "dimensions": list(dimensions),
        "violating_share": {law: [violating_share(law, n, pairs=pairs) for n in dimensions] for law in LAWS},
        "true_epsilon": {f"{e:g}": [e * math.sqrt(n) for n in dimensions] for e in EPSILONS},
        "delta_at_claimed_epsilon": {f"{e:g}": [published_delta(n, e) for n in dimensions] for e in EPSILONS},
    }
    return Reproduction(numbers=numbers, tables=_figure_tables(numbers), draw=lambda: _draw_figure(numbers))


def noise(*, rows: Sequence[tuple[int, float]] = NOISE_ROWS, numbers: int = NOISE_NUMBERS) -> Reproduction:
    """Measure the noise of every version by drawing it, beside what a formula says."""
    cells = [
        {
            "dimension": n,
            "epsilon": epsilon,
            "measured": measured_errors(n, epsilon, numbers=numbers),
            "formula": _formulas(n, epsilon),
        }
        for n, epsilon in rows
    ]
    return Reproduction(numbers={"clip": 1.0, "delta": DELTA, "rows": cells}, tables=(_noise_table(cells),))


def measured_errors(dimension: int, epsilon: float, *, numbers: int = NOISE_NUMBERS) -> dict[str, float]:
    """Return the root mean squared error over the clip of each mechanism, from this many numbers of noise drawn."""
    given = np.full((numbers // dimension, dimension), 0.5 / math.sqrt(dimension))
    return {
        name: math.sqrt(np.mean(np.sum((mechanism.release(given, source=_public()) - given) ** 2, axis=1)))
        for name, mechanism in noise_mechanisms(dimension, epsilon).items()
    }


def noise_mechanisms(dimension: int, epsilon: float) -> dict[str, VectorMechanism]:
    """Return the mechanisms compared: all for any two vectors of the unit ball; the two with a delta promise less."""
    n, e = dimension, epsilon
    return {
        "published, broken": ClippedLaplace(epsilon=e, clip=1.0, dimension=n, variant="published"),
        "corrected": ClippedLaplace(epsilon=e, clip=1.0, dimension=n, variant="corrected"),
        "radial": ClippedLaplace(epsilon=e, clip=1.0, dimension=n),
        "Gaussian, delta": Gaussian(epsilon=e, delta=DELTA, sensitivity=2.0, dimension=n),
        "Laplace, delta": Laplace(epsilon=e, delta=DELTA, sensitivity=2.0, dimension=n),
        "PrivUnit": PrivUnit(epsilon=e, dimension=n),
    }


def _formulas(dimension: int, epsilon: float) -> dict[str, float]:
    errors = vector_errors(dimension, epsilon, delta=DELTA)
    return {
        "published, broken": 2 * math.sqrt(2 * dimension) / epsilon,
        "corrected": errors["Laplace in each coordinate"],
        "radial": errors["Laplace"],
        "Gaussian, delta": errors["Gaussian"],
        "Laplace, delta": errors["Laplace with delta"],
        "PrivUnit": errors["PrivUnit"],
    }


def _public() -> RandomSource:
    """A source that anyone can repeat: nothing here is private."""
    return RandomSource.keyed(hashlib.sha256(b"textveil reproduce adept").digest())


def _draw(law: str, streams: Streams, count: int) -> Floats:
    deviation = LAWS[law]
    return 2 * uniforms(streams.words(count)) - 1 if deviation is None else deviation * normals(streams, count)


def _figure_tables(numbers: dict[str, Any]) -> tuple[Table, Table]:
    pairs = numbers["pairs"]
    error = 50 / math.sqrt(pairs)
    title = f"Share of {pairs:,} random pairs with an l1 distance above 2C (standard error at most {error:.2g} points)"
    shares = [(law, "{:.2%}", numbers["violating_share"][law]) for law in LAWS]
    promises: list[tuple[str, str, list[float]]] = []
    for claimed in numbers["true_epsilon"]:
        promises.append((f"epsilon {claimed}: truly", "{:.4g}", numbers["true_epsilon"][claimed]))
        promises.append((f"delta at {claimed}", "{:.3f}", numbers["delta_at_claimed_epsilon"][claimed]))
    rows = numbers["dimensions"]
    return _table(title, rows, shares), _table("What the published noise really promises", rows, promises)


def _table(title: str, dimensions: Sequence[int], columns: Sequence[tuple[str, str, list[float]]]) -> Table:
    """Return a table with a row for each dimension; a column has a name, a format and its values."""
    table = Table(title=title, title_justify="left")
    for name in ("dimension", *(name for name, _, _ in columns)):
        table.add_column(name, justify="right")
    for row, dimension in enumerate(dimensions):
        table.add_row(str(dimension), *(form.format(values[row]) for _, form, values in columns))
    return table


def _noise_table(cells: list[dict[str, Any]]) -> Table:
    title = f"Root mean square noise / C, drawn (formula); the columns with a delta have {DELTA:g}, the others none"
    table = Table(title=title, title_justify="left")
    for name in ("dimension", "epsilon", *cells[0]["measured"]):
        table.add_column(name, justify="right")
    for cell in cells:
        pairs = ((cell["measured"][name], cell["formula"][name]) for name in cell["measured"])
        shown = (f"{_short(drawn)} ({_short(formula)})" for drawn, formula in pairs)
        table.add_row(str(cell["dimension"]), f"{cell['epsilon']:g}", *shown)
    return table


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _draw_figure(numbers: dict[str, Any]) -> Any:
    """Draw three panels over the dimension: pairs above 2C, the true epsilon, delta at the epsilon claimed."""
    figure = blank(11, 3.6)
    pairs, epsilons, deltas = figure.subplots(1, 3)
    looks = (("#0072b2", "-", "o"), ("#d55e00", "--", "s"), ("#009e73", "-.", "^"))
    panels = (
        (pairs, numbers["violating_share"], "{}", 100.0),
        (epsilons, numbers["true_epsilon"], "ε = {} claimed", 1.0),
        (deltas, numbers["delta_at_claimed_epsilon"], "ε = {} claimed", 1.0),
    )
    for axes, lines, label, factor in panels:
        for (name, values), (colour, dashes, mark) in zip(lines.items(), looks, strict=True):
            axes.plot(
                numbers["dimensions"], factor * np.array(values), dashes, color=colour, marker=mark, markersize=3.5,
                linewidth=1.6, label=label.format(name),
            )  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_xticks([1, 4, 16, 64, 256, 1024], ["1", "4", "16", "64", "256", "1024"])
        axes.set_xlabel("dimension of the encoder's output")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="#e5e5e5", linewidth=0.6)
    pairs.legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1.03, 0.06), handlelength=1.8)
    for axes in (epsilons, deltas):
        axes.legend(frameon=False, fontsize=8)
    epsilons.set_yscale("log")
    epsilons.set_yticks([1, 10, 100], ["1", "10", "100"])
    titles = ("Pairs farther apart than 2C (%)", "True ε of the published noise", "Its δ at the ε claimed")
    for axes, title, letter in zip((pairs, epsilons, deltas), titles, "abc", strict=True):
        axes.minorticks_off()
        axes.set_title(f"({letter}) {title}", loc="left", fontsize=10)
    return figure
