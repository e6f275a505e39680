"""What a picture of an audit shows: how much outputs tell two inputs apart, and which outputs do.

A picture is no evidence: it is drawn after the verdict, from the law where it is known and from new outputs where not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.counts import least_chance, most_chance
from textveil.auditing.events import best_event
from textveil.auditing.outputs import Outputs, Subject, as_outputs, draw
from textveil.auditing.report import AuditReport, Witness
from textveil.auditing.scores import fitted_scores, given_scores
from textveil.auditing.wrappers import inner_of
from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee
from textveil.mechanisms.documents import DocumentMechanism
from textveil.mechanisms.mechanism import Mechanism
from textveil.randomness import RandomSource

Floats = NDArray[np.float64]
Curve = dict[str, list[Any]]

# Outputs drawn of each input for a picture: of a mechanism, and of a function, which is called for each.
_DRAWN, _CALLED = 4_000, 2_000
_BINS, _SHARES, _NAMED = 24, 10, 8
_LARGEST_LOSS = 600.0
_POINTS = 200
# The chance that any interval of a picture misses what it should cover.
_DOUBT = 0.05


def with_curve(report: AuditReport, subject: Subject, *, source: RandomSource | None = None) -> AuditReport:
    """Return the report with a curve in the finding that a picture is about, where one can be made.

    That is the finding that the verdict rests on, or the first that has a witness. The curve has `share` and `loss`
    (the log-ratio that this share of the outputs stays below). Where the law is not known, it has `loss` with limits
    `low` and `high`, for named outputs or at the `middle` of shares of the outputs in the order of a `score`. And it
    has `from_x` and `from_y`: how often each input gives outputs `at` places along a line, or the `output` named.
    """
    shown = next((found for found in (report.deciding, *report.findings) if found and found.witness), None)
    if shown is None or shown.witness is None:
        return report
    drawn = replace(shown, curve=_curve(subject, report.claim, shown.witness, source))
    return replace(report, findings=tuple(drawn if found is shown else found for found in report.findings))


def _curve(subject: Subject, claim: Guarantee, witness: Witness, source: RandomSource | None) -> Curve:
    x, y = (np.asarray(one) if isinstance(one, list) and not _has_words(one) else one for one in witness.pair)
    for layer in _layers(subject, claim):
        if isinstance(layer, DocumentMechanism) and np.ndim(x) == 1:
            x, y = x[None], y[None]  # documents of one sentence
        try:
            rows = _rows(layer, x, y)
            if rows is not None:
                return _of_table(*rows)
            drawn = as_outputs(*draw(layer, x, y, _DRAWN if isinstance(layer, Mechanism) else _CALLED, source))
            return _of_outputs(layer, (x, y), *drawn, witness.claimed)
        except InvalidInputError:
            continue
    return {}


def _has_words(value: list[Any]) -> bool:
    return any(isinstance(item, str) for item in value)


def _layers(subject: Subject, claim: Guarantee) -> Iterator[Subject]:
    """Return what is audited and what it is made around: a witness may be about that."""
    yield subject
    inner = inner_of(subject, claim) if isinstance(subject, Mechanism) else None
    if inner is not None:
        yield from _layers(inner.mechanism, inner.claim)


def _rows(subject: Subject, x: Any, y: Any) -> tuple[list[str], Floats, Floats] | None:
    """Return the words, and the chance of each from either input, where the law is a table of words."""
    vocabulary = getattr(subject, "vocabulary", None)
    if vocabulary is None or not isinstance(x, str):
        return None
    if not {x, y} <= set(vocabulary.words):
        raise InvalidInputError("the witness is not a pair of words of the vocabulary")
    if not hasattr(subject, "transition_rows"):
        return None
    first, second = subject.transition_rows(vocabulary.ids([x, y]))
    return list(vocabulary.words), first, second


def _known_losses(subject: Subject, x: Any, y: Any, outputs: Floats) -> Floats | None:
    """Return the log-ratios of outputs, where the density is known."""
    if not isinstance(subject, Mechanism) or not hasattr(subject, "log_density"):
        return None
    try:
        with np.errstate(invalid="ignore"):
            losses: Floats = np.asarray(subject.log_density(outputs, x) - subject.log_density(outputs, y))
    except InvalidInputError:
        return None
    return losses[~np.isnan(losses)]


def _of_table(words: list[str], first: Floats, second: Floats) -> Curve:
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.log(first) - np.log(second)
    possible = (first > 0) | (second > 0)
    told = _named(words, first, second)
    return _sorted(losses[possible], ((first + second) / 2)[possible]) | told


def _of_outputs(subject: Subject, pair: tuple[Any, Any], first: Outputs, second: Outputs, claimed: float) -> Curve:
    if first.numbers is None or second.numbers is None or not _are_places(first):
        return _by_name(first, second)
    losses = _known_losses(subject, *pair, np.concatenate([first.numbers, second.numbers]))
    places = _in_bins(first.numbers, second.numbers, *pair)
    if losses is None or not losses.size:
        return places | _by_score(pair, first, second, claimed)
    return places | _sorted(losses, np.full(len(losses), 1 / len(losses)))


def _sorted(losses: Floats, weights: Floats) -> Curve:
    """Return log-ratios in order, against the share of all outputs, of both inputs alike, that stay below."""
    order = np.argsort(losses)
    shares = np.cumsum(weights[order]) / weights.sum()
    kept = np.unique(np.linspace(0, len(order) - 1, _POINTS).astype(np.int64))
    return {"share": shares[kept].tolist(), "loss": losses[order][kept].tolist()}


def _are_places(outputs: Outputs) -> bool:
    """Whether outputs are numbers that hardly repeat, and no names."""
    return outputs.numbers is not None and 4 * len(set(outputs.names)) > len(outputs)


def _in_bins(first: Floats, second: Floats, x: Any, y: Any) -> Curve:
    """Return how often outputs lie where along the line through the inputs, or through the means of their outputs."""
    own = np.size(x) == np.size(y) == first.shape[1]
    ends = [np.ravel(one) for one in (x, y)] if own else [first.mean(axis=0), second.mean(axis=0)]
    along = np.asarray(ends[1] - ends[0], dtype=np.float64)
    length = float(np.square(along).sum())
    places = [(rows - ends[0]) @ along / length if length else rows[:, 0] for rows in (first, second)]
    low, high = np.quantile(np.concatenate(places), [0.005, 0.995])
    edges = np.linspace(low, high if high > low else low + 1, _BINS + 1)
    counts = [np.histogram(each, edges)[0] / len(each) for each in places]
    return {"at": ((edges[1:] + edges[:-1]) / 2).tolist(), "from_x": counts[0].tolist(), "from_y": counts[1].tolist()}


def _by_name(first: Outputs, second: Outputs) -> Curve:
    """Return how often outputs that have names come; which to show is chosen by half of them, and shown by the rest."""
    half = len(first) // 2
    labels = [[_label(outputs, at) for at in range(len(outputs))] for outputs in (first, second)]
    chosen, shown = ([Counter(each[part]) for each in labels] for part in (slice(half), slice(half, None)))
    names = sorted(set(chosen[0]) | set(chosen[1]))
    most = _named(names, *(np.array([count[name] for name in names]) / half for count in chosen))["output"]
    shares = [[count[name] / (len(first) - half) for name in most] for count in shown]
    return {"output": most, "from_x": shares[0], "from_y": shares[1]} | _ratios(shares[0], shares[1], len(first) - half)


def _label(outputs: Outputs, at: int) -> str:
    if outputs.numbers is None:
        return str(outputs.names[at])
    row = outputs.numbers[at]
    return ", ".join(f"{value:g}" for value in row[:3]) + (", ..." if len(row) > 3 else "")


def _named(names: list[str], first: Floats, second: Floats) -> Curve:
    """Return the outputs whose chances differ most, those of x first."""
    most = np.argsort(-np.abs(first - second), kind="stable")[:_NAMED]
    most = most[np.argsort(-(first - second)[most], kind="stable")]
    return {
        "output": [names[at] for at in most],
        "from_x": first[most].tolist(),
        "from_y": second[most].tolist(),
    }


def _by_score(pair: tuple[Any, Any], first: Outputs, second: Outputs, claimed: float) -> Curve:
    """Return log-ratios of outputs in the order of the score that tells the inputs apart best, a share at a time.

    The score is fitted to a quarter of the outputs, chosen and cut by another quarter, and shown with the rest.
    """
    quarter = len(first) // 4
    fit, choose, show = slice(quarter), slice(quarter, 2 * quarter), slice(2 * quarter, None)
    scores = [*given_scores(pair, first), *fitted_scores(first.part(fit), second.part(fit))]
    ratio = math.exp(min(claimed, _LARGEST_LOSS)) if claimed >= 0 else 1.0
    score = best_event(scores, first.part(choose), second.part(choose), ratio, 0.0).score
    seen, values = ([score.of(each.part(part)) for each in (first, second)] for part in (choose, show))
    cuts = np.unique(np.quantile(np.concatenate(seen), np.linspace(0, 1, _SHARES + 1)[1:-1]))
    shares = [np.bincount(np.searchsorted(cuts, each), minlength=len(cuts) + 1) / len(each) for each in values]
    ends = np.cumsum((shares[0] + shares[1]) / 2)
    middles = ends - (shares[0] + shares[1]) / 4
    told = {"score": [score.name], "middle": middles.tolist()}
    return told | _ratios(shares[0].tolist(), shares[1].tolist(), len(values[0]))


def _ratios(first: list[float], second: list[float], drawn: int) -> Curve:
    """Return log-ratios of shares that were counted, with limits that hold for all of them at once."""
    level = _DOUBT / (4 * max(len(first), 1))
    pairs = [(round(a * drawn), round(b * drawn)) for a, b in zip(first, second, strict=True)]
    return {
        "loss": [_log(a) - _log(b) if a or b else math.nan for a, b in pairs],
        "low": [_log(least_chance(a, drawn, level)) - _log(most_chance(b, drawn, level)) for a, b in pairs],
        "high": [_log(most_chance(a, drawn, level)) - _log(least_chance(b, drawn, level)) for a, b in pairs],
    }


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
