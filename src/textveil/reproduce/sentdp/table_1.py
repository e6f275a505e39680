"""Table 1 of the paper: with how many deep candidates one of them is chosen with a probability of 95%.

5,000 candidates, b of them at depth j* and all others at depth 0. The paper's exponential mechanism stands beside
permute-and-flip, which promises the same and errs less often.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table

from textveil.mechanisms.deep_candidate.law import exponential_law, permute_and_flip_law
from textveil.reproduce.reproduction import Reproduction

CANDIDATES = 5000
ENOUGH = 0.95
# epsilon, b and j* of the paper.
PAPER = ((3.0, 55, 5), (6.0, 25, 3), (10.0, 5, 2), (23.0, 1, 1))
LAWS = {"exponential": exponential_law, "permute-and-flip": permute_and_flip_law}


def chance_of_deep(law: str, epsilon: float, deep: int, depth: int, *, candidates: int = CANDIDATES) -> float:
    """Return the probability that one of the deep candidates is chosen.

    Parameters
    ----------
    law : a name of `LAWS`
    epsilon : of the release
    deep, depth : how many candidates are deep, and how deep; the others have depth 0
    candidates : how many there are in all
    """
    gaps = np.where(np.arange(candidates) < deep, 0, depth)
    return float(LAWS[law](gaps, epsilon / 2)[:deep].sum())


def fewest(law: str, epsilon: float, depth: int) -> int:
    """Return the least number of deep candidates with which the chance is 95% or more."""
    low, high = 1, CANDIDATES
    while low < high:
        middle = (low + high) // 2
        if chance_of_deep(law, epsilon, middle, depth) >= ENOUGH:
            high = middle
        else:
            low = middle + 1
    return low


def table_1() -> Reproduction:
    """Compute the chances of Table 1, and the fewest deep candidates that suffice."""
    rows: list[dict[str, Any]] = [
        {
            "epsilon": epsilon,
            "deep": deep,
            "depth": depth,
            "chance": {law: chance_of_deep(law, epsilon, deep, depth) for law in LAWS},
            "fewest": {law: fewest(law, epsilon, depth) for law in LAWS},
        }
        for epsilon, deep, depth in PAPER
    ]
    numbers = {"paper": "Meehan, Mrini and Chaudhuri 2022, Table 1", "candidates": CANDIDATES, "rows": rows}
    return Reproduction(numbers=numbers, tables=(_table(rows),))


def _table(rows: list[dict[str, Any]]) -> Table:
    title = (
        f"Chance to choose one of b deep candidates of {CANDIDATES:,} (paper: at least {ENOUGH:.0%}), and the least b "
        "that suffices. The paper's numbers are right, and its b is sometimes more than is needed"
    )
    table = Table(title=title, title_justify="left")
    names = ("epsilon", "b", "depth", "exponential", "permute-and-flip", "least b", "by permute-and-flip")
    for name in names:
        table.add_column(name, justify="right")
    for row in rows:
        chances, least = (row[name].values() for name in ("chance", "fewest"))
        cells = (f"{row['epsilon']:g}", str(row["deep"]), str(row["depth"]))
        table.add_row(*cells, *(f"{chance:.4f}" for chance in chances), *map(str, least))
    return table
