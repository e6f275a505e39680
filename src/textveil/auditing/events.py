"""Sets of outputs that tell two inputs apart, learned from outputs that are used for nothing else.

An event is that a score of the output is at least a threshold. If the law is known, the best score is its log-ratio
(Neyman and Pearson); if not, one of a few simple scores is mostly close to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from textveil.auditing.counts import Counts, Floats, evidence
from textveil.auditing.outputs import Outputs
from textveil.auditing.scores import Leaning, Score

_THRESHOLDS = 64
# A rough rate is enough to choose by.
_HALVINGS = 18
# By so many standard deviations shares are taken to be worse than they look, lest the luckiest be chosen.
_CAUTION = 0.5
# The log of how little doubt is left far beyond all that was seen.
_LEAST_DOUBT = 8.0


@dataclass(frozen=True)
class Event:
    """That `sign` times a score is at least a threshold.

    Parameters
    ----------
    score, sign, threshold : what it is
    forward : whether it tells against the first input or against the second
    share : how likely it seems for the input that it tells against
    rate : evidence of a breach that an output of each input should bring, in nats; 0 for none
    """

    score: Score
    sign: float
    threshold: float
    forward: bool
    share: float
    rate: float

    @property
    def name(self) -> str:
        """The event in words."""
        return f"{self.score.name} {'>=' if self.sign > 0 else '<='} {self.sign * self.threshold:.6g}"

    def count(self, first: Outputs, second: Outputs) -> Counts:
        """Count it in outputs of the two inputs, those of the input that it tells against as hits."""
        hits, others = (int((self.sign * self.score.of(each) >= self.threshold).sum()) for each in (first, second))
        return Counts(*((hits, others) if self.forward else (others, hits)), len(first))


class _Trial(NamedTuple):
    """A score with a sign and a direction, and the shares of both inputs at some thresholds."""

    score: Score
    sign: float
    forward: bool
    levels: Floats
    x: Floats
    y: Floats


def best_event(scores: Iterable[Score], first: Outputs, second: Outputs, ratio: float, delta: float) -> Event:
    """Return the event that should show a breach of p <= ratio q + delta soonest."""
    trials = [trial for score in scores for trial in _trials(score, first, second)]
    x, y = np.stack([trial.x for trial in trials]), np.stack([trial.y for trial in trials])
    worse = [_cautious(trial, len(first)) for trial in trials]
    rates = evidence(np.stack([p for p, _ in worse]), np.stack([q for _, q in worse]), ratio, delta, halvings=_HALVINGS)
    # Where nothing looks like a breach, the event that comes nearest to one is the best.
    best = int(np.lexsort(((x - ratio * y).ravel(), rates.ravel()))[-1])
    trial, at = trials[best // x.shape[1]], best % x.shape[1]
    return Event(
        trial.score, trial.sign, float(trial.levels[at]), trial.forward, float(trial.x[at]), float(rates.max())
    )


def _trials(score: Score, first: Outputs, second: Outputs) -> Iterator[_Trial]:
    a, b = score.of(first), score.of(second)
    for sign in (1.0, -1.0):
        levels = _thresholds(sign * np.concatenate([a, b]))
        for forward, hits, others in ((True, sign * a, sign * b), (False, sign * b, sign * a)):
            if score.leaning is Leaning.RATIO and forward == (sign > 0):
                yield _Trial(score, sign, forward, levels, _shares(hits, levels), _weighted_shares(hits, levels))
            elif score.leaning is Leaning.NONE or (score.leaning is Leaning.FIRST and forward == (sign > 0)):
                yield _Trial(score, sign, forward, levels, _shares(hits, levels), _doubted_shares(others, levels))


def _thresholds(values: Floats) -> Floats:
    """Return so many values that split the scores; some of them again if there are fewer."""
    return np.sort(values)[np.linspace(0, len(values) - 1, _THRESHOLDS).astype(np.int64)]


def _shares(scores: Floats, levels: Floats) -> Floats:
    """Return for each level the share of scores that reach it."""
    return np.asarray(1 - np.searchsorted(np.sort(scores), levels, side="left") / len(scores))


def _doubted_shares(scores: Floats, levels: Floats) -> Floats:
    """Return the shares again, counting half a score more, which falls off beyond the largest as if exponentially.

    So of two thresholds that none of the scores reach the higher one is taken to be the safer.
    """
    middle = float(np.median(scores))
    width = float(np.maximum(scores - middle, 0.0).mean())
    beyond = np.maximum(levels - scores.max(), 0.0)
    doubt = np.exp(-np.minimum(beyond / width, _LEAST_DOUBT)) if width > 0 else 1.0
    return np.asarray((_shares(scores, levels) * len(scores) + 0.5 * doubt) / (len(scores) + 1))


def _weighted_shares(ratios: Floats, levels: Floats) -> Floats:
    """Return the share of the other input's outputs that reach each level, from log-ratios of this one's outputs.

    The chance of a set under the other law is the mean of e^-ratio over it, which is far surer than counting the few.
    """
    ordered = np.sort(ratios)
    weights = np.append(np.cumsum(np.exp(-np.clip(ordered[::-1], 0.0, 700.0)))[::-1], 0.0)
    return np.asarray(np.minimum(1.0, weights[np.searchsorted(ordered, levels, side="left")] / len(ratios)))


def _cautious(trial: _Trial, count: int) -> tuple[Floats, Floats]:
    """Return shares somewhat worse than they look."""
    x = (trial.x * count + 0.5) / (count + 1)
    # Weighted shares err in proportion to themselves.
    spread = trial.y if trial.score.leaning is Leaning.RATIO else np.sqrt(trial.y * (1 - trial.y))
    return (
        np.maximum(x - _CAUTION * np.sqrt(x * (1 - x) / count), 0.0),
        np.minimum(trial.y + _CAUTION * spread / np.sqrt(count), 1.0),
    )
