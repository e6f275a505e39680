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
        hits, others = (int((self.sign * self.score(each) >= self.threshold).sum()) for each in (first, second))
        return Counts(*((hits, others) if self.forward else (others, hits)), len(first))


class _Trial(NamedTuple):
    """A score with a sign and a direction, for outputs of the input that it may tell against, and of the other."""

    score: Score
    sign: float
    forward: bool
    hits: Floats
    others: Floats


def best_event(scores: Iterable[Score], first: Outputs, second: Outputs, ratio: float, delta: float) -> Event:
    """Return the event that should show a breach of p <= ratio q + delta soonest."""
    trials = [trial for score in scores for trial in _trials(score, score(first), score(second))]
    hits, others = np.stack([trial.hits for trial in trials]), np.stack([trial.others for trial in trials])
    levels, x, y = _shares(hits, others)
    y = _doubted(y, others, levels)
    for row, trial in enumerate(trials):
        if trial.score.leaning is Leaning.RATIO:
            y[row] = _weighted(hits[row], levels[row])
    rates = evidence(_cautious(x, len(first)), y, ratio, delta, halvings=_HALVINGS)
    # Where nothing looks like a breach, the event that comes nearest to one is the best.
    at = divmod(int(np.lexsort(((x - ratio * y).ravel(), rates.ravel()))[-1]), _THRESHOLDS)
    best = trials[at[0]]
    return Event(best.score, best.sign, float(levels[at]), best.forward, float(x[at]), float(rates[at]))


def _trials(score: Score, a: Floats, b: Floats) -> Iterator[_Trial]:
    for sign in (1.0, -1.0):
        for forward, hits, others in ((True, a, b), (False, b, a)):
            if score.leaning is Leaning.NONE or forward == (sign > 0):
                yield _Trial(score, sign, forward, sign * hits, sign * others)


def _shares(hits: Floats, others: Floats) -> tuple[Floats, Floats, Floats]:
    """Return, row by row, scores that split them all, and the shares of both kinds that reach each."""
    count = hits.shape[1]
    whole = np.concatenate([hits, others], axis=1)
    order = np.argsort(whole, axis=1)
    values = np.take_along_axis(whole, order, axis=1)
    new = np.concatenate([np.ones((len(values), 1), dtype=bool), values[:, 1:] > values[:, :-1]], axis=1)
    # Of scores that are equal the first counts: all of them reach it.
    starts = np.maximum.accumulate(np.where(new, np.arange(2 * count), 0), axis=1)
    chosen = np.linspace(0, 2 * count - 1, _THRESHOLDS).astype(np.int64)
    below = starts[:, chosen]
    own = np.take_along_axis(np.cumsum(order < count, axis=1) - (order < count), below, axis=1)
    return values[:, chosen], 1 - own / count, 1 - (below - own) / count


def _doubted(shares: Floats, scores: Floats, levels: Floats) -> Floats:
    """Return shares as if there were half a score more, which falls off beyond the largest as if exponentially.

    So of two thresholds that none of the scores reach the higher one is taken to be the safer. All are taken to be
    somewhat larger than they look.
    """
    count = scores.shape[1]
    widths = np.maximum(scores - np.median(scores, axis=1, keepdims=True), 0.0).mean(axis=1, keepdims=True)
    beyond = np.maximum(levels - scores.max(axis=1, keepdims=True), 0.0)
    doubt = np.where(widths > 0, np.exp(-np.minimum(beyond / np.maximum(widths, 1e-200), _LEAST_DOUBT)), 1.0)
    y = (shares * count + 0.5 * doubt) / (count + 1)
    return np.asarray(np.minimum(y + _CAUTION * np.sqrt(y * (1 - y) / count), 1.0))


def _weighted(ratios: Floats, levels: Floats) -> Floats:
    """Return the share of the other input's outputs that reach each level, from log-ratios of this one's outputs.

    The chance of a set under the other law is the mean of e^-ratio over it, which is far surer than counting the few.
    """
    ordered = np.sort(ratios)
    weights = np.append(np.cumsum(np.exp(-np.clip(ordered[::-1], 0.0, 700.0)))[::-1], 0.0)
    y = weights[np.searchsorted(ordered, levels, side="left")] / len(ratios)
    return np.asarray(np.minimum(y * (1 + _CAUTION / np.sqrt(len(ratios))), 1.0))


def _cautious(shares: Floats, count: int) -> Floats:
    """Return shares somewhat smaller than they look."""
    x = (shares * count + 0.5) / (count + 1)
    return np.asarray(np.maximum(x - _CAUTION * np.sqrt(x * (1 - x) / count), 0.0))
