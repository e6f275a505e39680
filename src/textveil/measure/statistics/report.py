"""What was measured: a table to print, a frame for pandas, a picture."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import MissingDependencyError
from textveil.measure.attacks import Attack

Floats = NDArray[np.float64]

# Statistic -> how it is called; {runs} and {factor} are filled in.
_TITLES = {
    "unchanged": "stays as it is (N_w)",
    "distinct": "distinct outputs of {runs:,} runs (S_w)",
    "inputs": "words behind the rarest of them (K_w)",
    "hartley": "Hartley entropy, bits",
    "min_entropy": "min-entropy, bits",
    "effective": "outputs by entropy, 2^H1",
    "collision": "outputs by collisions, 1/sum p^2",
    "plausible": "as plausible within x{factor:g} (PD)",
    "promised": "  promised by the guarantee",
}


@dataclass(frozen=True)
class Statistics:
    """The statistics of some words under a mechanism. `str()` is a table of the least, the mean and the most.

    Parameters
    ----------
    words : which words were measured
    columns : statistic -> one number a word: unchanged, distinct, inputs, hartley, min_entropy, effective, collision,
        plausible, promised; from runs also the ends of intervals, as unchanged_low and unchanged_high
    mechanism, epsilon, vocabulary : whose law it is, its epsilon, and how many words it knows
    exact : whether the law was read, or else sampled
    runs, factor, confidence : what was asked for
    attack : what the best attacker achieves
    """

    words: tuple[str, ...]
    columns: dict[str, Floats]
    mechanism: str
    epsilon: float
    vocabulary: int
    exact: bool
    runs: int
    factor: float
    confidence: float
    attack: Attack

    def __getitem__(self, statistic: str) -> Floats:
        return self.columns[statistic]

    def summary(self) -> dict[str, tuple[float, float, float]]:
        """Return the least, the mean and the most of each statistic over the words, under its full name."""
        found = {}
        for name, title in _TITLES.items():
            if name in self.columns:
                column = self.columns[name]
                key = title.format(runs=self.runs, factor=self.factor)
                found[key] = (float(column.min()), float(column.mean()), float(column.max()))
        return found

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each word."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingDependencyError("pandas is needed for a DataFrame; run: pip install pandas") from None
        return pd.DataFrame(dict(self.columns), index=pd.Index(self.words, name="word"))

    def plot(self, *others: Statistics) -> Any:
        """Draw N_w (mean and largest), S_w and K_w against epsilon, for this and other epsilons; return the figure."""
        from textveil.measure.statistics.picture import draw

        return draw((self, *others))

    def __str__(self) -> str:
        rows = [(title, *map(_number, numbers)) for title, numbers in self.summary().items()]
        lines = [self._headline(), "", _line("", "least", "mean", "most")]
        lines += [_line(*row) for row in rows]
        if not self.exact:
            lines += ["", self._doubt()]
        return "\n".join([*lines, "", f"Attack: {self.attack}"])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("", "least", "mean", "most"))
        body = "".join(
            f"<tr><td>{escape(title)}</td>" + "".join(f"<td>{_number(value)}</td>" for value in numbers) + "</tr>"
            for title, numbers in self.summary().items()
        )
        notes = [f"Attack: {self.attack}"] if self.exact else [self._doubt(), f"Attack: {self.attack}"]
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"<p>{escape(self._headline())}</p>{table}" + "".join(f"<p>{escape(note)}</p>" for note in notes)

    def _headline(self) -> str:
        how = "exact" if self.exact else f"from {self.runs:,} runs of each"
        of = f"{len(self.words):,} word{'s' * (len(self.words) > 1)} of {self.vocabulary:,}"
        return f"{self.mechanism}, epsilon = {self.epsilon:.4g}: {of}, {how}"

    def _doubt(self) -> str:
        widest = float((self["unchanged_high"] - self["unchanged_low"]).max())
        return (
            f"N_w, S_w and the min-entropy have intervals of {self.confidence:.0%} a word (columns _low and _high; N_w "
            f"within {widest:.2g} at most). K_w counts among the words measured. The other numbers are estimates: 2^H1 "
            "and the Hartley entropy are too small, the less so the more runs."
        )


def _line(title: str, *cells: str) -> str:
    return f"{title:<40}" + "".join(f"{cell:>11}" for cell in cells)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
