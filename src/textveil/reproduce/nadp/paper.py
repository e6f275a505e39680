"""The whole of the paper: Figures 2 to 4 and Table 1. Its vectors, GloVe 42B, can't be had; GloVe 6B stands in.

The vocabulary is the paper's own list of words as far as GloVe 6B has them. Every cell is kept on disk, so that a run
that was stopped goes on where it was.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from textveil.reproduce.measuring import EVERYTHING, measured
from textveil.reproduce.nadp.mechanisms import THRESHOLD
from textveil.reproduce.nadp.parts import Parts
from textveil.reproduce.nadp.showing import reported
from textveil.reproduce.reproduction import Reproduction


@dataclass(frozen=True)
class Plan:
    """How much is done.

    Parameters
    ----------
    words : of the paper's list, the commonest
    epsilons, runs : of Figure 2
    rows : texts of each set of reviews
    thresholds : of NADP in Figure 3; that of Figure 2 must be among them
    skewed_epsilons, skewed_runs : of Figure 3
    sampled : words of Figures 3 and 4
    deviations : of Figure 4
    """

    words: int = EVERYTHING
    epsilons: tuple[float, ...] = (0.8, 5.0, 10.0, 20.0, 40.0)
    runs: int = 5
    rows: int = 1500
    thresholds: tuple[float, ...] = (0.1, 0.3, THRESHOLD)
    skewed_epsilons: tuple[float, ...] = (1.0, 5.0, 10.0, 20.0, 40.0)
    skewed_runs: int = 3
    sampled: int = 1500
    deviations: tuple[float, ...] = tuple(round(0.05 * number, 2) for number in range(21))


FULL = Plan()
QUICK = Plan(
    words=10_000,
    epsilons=(0.8, 10.0, 40.0),
    runs=2,
    rows=600,
    thresholds=(0.1, THRESHOLD),
    skewed_epsilons=(1.0, 10.0, 40.0),
    skewed_runs=2,
    sampled=600,
    deviations=(0.0, 0.05, 0.25, 0.5, 1.0),
)


def paper(*, data: Path, quick: bool = False, plan: Plan | None = None) -> Reproduction:
    """Measure everything.

    Parameters
    ----------
    data : folder of the public data sets
    quick : a small part
    plan : how much is done, instead of what `quick` says
    """
    chosen = plan or (QUICK if quick else FULL)
    parts = Parts(data, chosen)
    records = measured("NADP", parts.cells_of_all())
    return reported(records, parts.about(), parts.table_1(), asdict(chosen))
