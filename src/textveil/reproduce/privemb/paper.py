"""The whole of the paper: Figures 1 to 4 and Table 1. Figures 5 to 7 need fastText, which is not in the data.

Every cell is kept on disk, so that a run that was stopped goes on where it was. Verdicts are computed from the results:
`showing.py`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from textveil.reproduce.measuring import EVERYTHING, measured
from textveil.reproduce.privemb.parts import Parts
from textveil.reproduce.privemb.showing import reported
from textveil.reproduce.reproduction import Reproduction


@dataclass(frozen=True)
class Plan:
    """How much is done.

    Parameters
    ----------
    epsilons, betas : of Figures 1 and 2
    pairs : words on each side of them
    runs : of Figures 1 to 3
    word_epsilons, word_betas : of Figure 3
    dimensions : of Figure 4, each with the paper's beta
    whole : what is projected has so many dimensions there
    trained_epsilons, trained_runs : of Figure 4
    texts, epochs : reviews that its vectors are trained on, and how often
    sentence_runs : of Table 1
    rows : texts of a data set of Table 1, at most
    unchanged : words that are counted for M1 with the nearest word
    """

    epsilons: tuple[float, ...] = (1.0, 2.0, 5.0)
    betas: tuple[float, ...] = (0.5, 0.6, 0.7)
    pairs: int = 100
    runs: int = 10
    word_epsilons: tuple[float, ...] = (1.0, 5.0, 10.0, 20.0, 40.0)
    word_betas: tuple[float, ...] = (0.5, 0.7, 0.9)
    dimensions: tuple[tuple[int, float], ...] = ((50, 0.93), (100, 0.66), (200, 0.468))
    whole: int = 300
    trained_epsilons: tuple[float, ...] = (10.0, 20.0, 40.0)
    trained_runs: int = 5
    texts: int = 6000
    epochs: int = 15
    sentence_runs: int = 5
    rows: int = EVERYTHING
    unchanged: int = 1500


FULL = Plan()
QUICK = Plan(
    runs=3,
    word_epsilons=(5.0, 20.0),
    word_betas=(0.9,),
    dimensions=((50, 0.93),),
    trained_epsilons=(20.0,),
    trained_runs=2,
    texts=2000,
    epochs=10,
    sentence_runs=1,
    rows=1500,
    unchanged=600,
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
    return reported(measured("PrivEmb", parts.cells_of_all()), parts.true_sizes(), asdict(chosen))
