"""Certificates that come with the package: laws of the default vocabulary, so that nobody waits for them.

Each point is a rate with its exact loss, certified over all pairs as any other, and the share of words that it
keeps. They are bound to the vocabulary by its sha256. Made by `python -m textveil.mechanisms.exponential.shipped`;
`make soak` computes points anew and compares.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from textveil.errors import CertificateError
from textveil.mechanisms.exponential.law import Law, neighbourhood_radius, rounding_slack
from textveil.receipts import digest_of
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import log_normalisers, steepest_pairs

_FILE = "default-laws.json"
# A law that uses this share of epsilon is good enough not to calibrate for the rest.
LEAST_USED = 0.98
# Rates in runs that are evenly spaced inside, for one pass each, and 0.3 to 0.5% apart.
_RUNS = np.geomspace(0.25, 6.0, 21)
_RATES_A_RUN = 40


@dataclass(frozen=True)
class Curve:
    """Certified laws of one vocabulary and radius, by ascending rate."""

    vocabulary: str
    radius: float
    rates: NDArray[np.float64]
    losses: NDArray[np.float64]
    kept: NDArray[np.float64]

    def law_within(self, epsilon: float) -> Law | None:
        """Return the law of the largest rate whose loss is at most epsilon, if it uses nearly all of it."""
        fitting = np.flatnonzero(self.losses <= epsilon)
        if len(fitting) == 0 or self.losses[fitting[-1]] < LEAST_USED * epsilon:
            return None
        return self._law(int(fitting[-1]))

    def law_keeping(self, share: float, *, at_most: bool) -> Law | None:
        """Return the law that keeps at most (or at least) this share of the words, next to it."""
        above = int(np.searchsorted(self.kept, share, side="right" if at_most else "left"))
        place = above - 1 if at_most else above
        return self._law(place) if 0 <= place < len(self.rates) and 0 < above < len(self.rates) else None

    def _law(self, place: int) -> Law:
        return Law(
            rate=float(self.rates[place]),
            radius=self.radius,
            loss=float(self.losses[place]),
            certified=True,
            kept=float(self.kept[place]),
        )


def curve_for(vocabulary: str, radius: float) -> Curve | None:
    """Return the shipped laws of the vocabulary with this sha256 at this radius, if there are any."""
    shipped = _shipped()
    return shipped if shipped and (shipped.vocabulary, shipped.radius) == (vocabulary, radius) else None


def radius_for(vocabulary: Vocabulary) -> float:
    """Return the radius "auto" stands for; for the default vocabulary it is known."""
    shipped = _shipped()
    return shipped.radius if shipped and shipped.vocabulary == vocabulary.digest else neighbourhood_radius(vocabulary)


@cache
def _shipped() -> Curve | None:
    path = files("textveil.mechanisms.exponential").joinpath(_FILE)
    if not path.is_file():
        return None
    stored = json.loads(path.read_text(encoding="utf-8"))
    points = np.array(stored["points"])
    if stored["checksum"] != digest_of([stored["vocabulary"], stored["radius"], stored["points"]]):
        raise CertificateError(f"{path} was edited; install textveil again")
    return Curve(stored["vocabulary"], stored["radius"], *points.T)


def certified_points(
    vocabulary: Vocabulary, rates: NDArray[np.float64], radius: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the exact loss of each of some evenly spaced rates, and the share of words that it keeps."""
    normalisers = log_normalisers(vocabulary, rates, radius=radius)
    worst = steepest_pairs(vocabulary, normalisers, radius=radius, slack=rounding_slack(vocabulary))
    # The share above covers the rounding of this sum.
    return (rates + worst.slope) * (1 + 1e-11), np.exp(-normalisers).mean(axis=1)


def main() -> None:
    """Compute the laws of the default vocabulary and write them into the package."""
    vocabulary = Vocabulary.default()
    radius = neighbourhood_radius(vocabulary)
    points = []
    for low, high in pairwise(_RUNS.tolist()):
        rates = np.linspace(low, high, _RATES_A_RUN, endpoint=False)
        losses, kept = certified_points(vocabulary, rates, radius)
        points += [list(point) for point in zip(rates.tolist(), losses.tolist(), kept.tolist(), strict=True)]
    stored = {"vocabulary": vocabulary.digest, "radius": radius, "points": points}
    stored["checksum"] = digest_of([vocabulary.digest, radius, points])
    Path(__file__).with_name(_FILE).write_text(json.dumps(stored) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
