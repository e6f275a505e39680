"""Catch a promise that is broken by outputs alone.

The first outputs of two inputs choose an event, the rest count it: P[event | x] <= e^loss P[event | x'] + delta is then
tested exactly, at looks that share the chance of a false alarm. Once a breach is shown, fresh outputs say how large it
is. Proof and power: docs/auditing-by-sampling.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from textveil.auditing.counts import Counts, Floats, breach_p_value, loss_shown
from textveil.auditing.events import Event, best_event
from textveil.auditing.outputs import Outputs, Subject, as_outputs, draw
from textveil.auditing.pairs import Pair, distance_between
from textveil.auditing.promises import epsilon_for
from textveil.auditing.report import Finding, Method, Verdict, Witness
from textveil.auditing.scores import Leaning, Score, fitted_scores, given_scores
from textveil.auditing.sequential import looks
from textveil.auditing.units import promised_at
from textveil.auditing.values import plain, require_answers
from textveil.auditing.wording import times
from textveil.errors import InvalidInputError, require_count
from textveil.guarantees import Guarantee
from textveil.mechanisms.vectors import VectorMechanism
from textveil.mechanisms.words import WordMechanism
from textveil.randomness import RandomSource

# One in so many outputs is for learning: fewer where the law is known.
_LEARN, _LEARN_KNOWN = 4, 10
# So much better a fitted score must look than the others, since it had fewer outputs to prove itself.
_PREFERENCE = 1.5
_LOG_RATIO = "ln p(output | x) - ln p(output | x')"
_LARGEST_LOSS = 600.0
# How many outputs are drawn where nobody says.
_SAMPLES = (2_000, 20_000)
_MARGIN = 8
# So many further outputs of each input, at most, say how large a breach is.
_FURTHER = 2_000


def black_box_findings(
    function: Subject,
    claim: Guarantee,
    pairs: Sequence[Pair],
    *,
    alpha: float,
    samples: int | None = None,
    source: RandomSource | None = None,
) -> list[Finding]:
    """Test a promise by outputs for pairs of public inputs: a finding a pair, "violated" or "not certifiable".

    Parameters
    ----------
    function : of one input, called again and again; or a mechanism
    claim : the promise
    pairs : two inputs and their distance in the metric of the claim; None to compute it where the claim names a metric
        that is known
    alpha : the chance that a promise that is kept is called violated, over all pairs
    samples : how many outputs to draw for each input of each pair, at most; by default a few times what would show that
        there is no privacy at all, from 2,000 to 20,000
    source : where the noise of a mechanism comes from
    """
    if samples is not None:
        require_count("samples", samples, least=2)
    if not 0 < alpha < 1:
        raise InvalidInputError(f"alpha must be above 0 and below 1 (got {alpha!r})")
    return [_finding(function, claim, pair, alpha / len(pairs), samples, source) for pair in pairs]


def samples_needed(loss: float, *, alpha: float, share: float = 1.0) -> float:
    """Return about how many outputs of each input show that a loss is larger, by an event that has this share.

    Even if the event never happens for the other input, that it is e^loss times rarer takes so many to show.
    """
    return float(np.ceil(math.log(2 / alpha) * math.exp(min(loss, _LARGEST_LOSS)) / share))


def _finding(
    function: Subject, claim: Guarantee, pair: Pair, alpha: float, samples: int | None, source: RandomSource | None
) -> Finding:
    x, y, given = pair
    distance = distance_between(claim, x, y) if given is None else float(given)
    loss, delta = promised_at(claim, x, y, distance)
    if math.isinf(loss) or delta >= 1:
        return Finding(
            name="outputs for a pair",
            method=Method.BLACK_BOX,
            verdict=Verdict.NOT_CERTIFIABLE,
            explanation="The claim promises nothing for this pair, so outputs can't break it.",
            witness=Witness(pair=(plain(x), plain(y)), event="none", distance=distance, claimed=loss),
        )
    ratio = math.exp(min(loss, _LARGEST_LOSS))
    samples = samples or int(np.clip(_MARGIN * samples_needed(loss, alpha=alpha), *_SAMPLES))
    known = _known_scores(function, x, y)
    first: list[Any] = []
    second: list[Any] = []
    for look in looks(samples, alpha):
        more = draw(function, x, y, look.samples - len(first), source)
        for drawn, new in zip((first, second), more, strict=True):
            drawn.extend(new)
        require_answers([*first, *second])
        learned = max(1, len(first) // (_LEARN_KNOWN if known else _LEARN))
        seen = first[:learned], second[:learned]
        outputs = as_outputs(first, second, learned=seen)
        event, counts = _learn_and_count((x, y), *outputs, learned, ratio, delta, known)
        caught = breach_p_value(counts, ratio=ratio, delta=delta, level=look.alpha) <= look.alpha
        if caught:
            break
    further = min(samples - look.samples, _FURTHER) if caught else 0
    fresh = draw(function, x, y, further, source) if further else None
    again = event.count(*as_outputs(*fresh, learned=seen)) if fresh else None
    shown = loss_shown(again or counts, delta=delta, level=alpha / 2)
    shown = max(shown, loss) if caught else min(shown, loss)
    promised = f"at most e^{loss:.4g} times as often{f' + {delta:.3g}' if delta else ''}"
    return Finding(
        name="outputs for a pair",
        method=Method.BLACK_BOX,
        verdict=Verdict.VIOLATED if caught else Verdict.NOT_CERTIFIABLE,
        explanation=_accusation(event, counts, again, promised, alpha)
        if caught
        else _agreement(event, counts, promised),
        bound=epsilon_for(claim, max(shown, 0.0) * (claim.loss(distance) / loss if loss else 1.0), distance),
        witness=_witness(pair, event, distance, shown, loss),
        samples=2 * (len(first) + further),
        alpha=alpha,
        needed=None if caught else 2 * samples_needed(loss, alpha=alpha, share=max(event.share, 1 / samples)),
    )


def _learn_and_count(
    pair: tuple[Any, Any],
    first: Outputs,
    second: Outputs,
    learned: int,
    ratio: float,
    delta: float,
    known: list[Score],
) -> tuple[Event, Counts]:
    """Choose an event by the first outputs, so many as are for learning, and count it in the others."""
    seen, counted = slice(learned), slice(learned, None)
    event = best_event(known or given_scores(pair, first), first.part(seen), second.part(seen), ratio, delta)
    if learned > 1 and not (known and event.rate):
        # Scores that are fitted are judged by outputs that they were not fitted to.
        fitted, judged = slice(learned // 2), slice(learned // 2, learned)
        scores = [*given_scores(pair, first), *fitted_scores(first.part(fitted), second.part(fitted))]
        other = best_event(scores, first.part(judged), second.part(judged), ratio, delta)
        event = other if other.rate > _PREFERENCE * event.rate else event
    return event, event.count(first.part(counted), second.part(counted))


def _known_scores(subject: Subject, x: Any, y: Any) -> list[Score]:
    """Return the log-ratio of a mechanism that knows its law."""
    if isinstance(subject, WordMechanism) and hasattr(subject, "transition_rows"):
        rows = subject.transition_rows(subject.vocabulary.ids([x, y]))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.nan_to_num(np.log(rows[0]) - np.log(rows[1]))

        def by_row(outputs: Outputs) -> Floats:
            return np.asarray(ratios[subject.vocabulary.ids(list(outputs.names))])  # type: ignore[arg-type]

        return [Score(_LOG_RATIO, by_row, Leaning.RATIO)]
    if not isinstance(subject, VectorMechanism) or not hasattr(subject, "log_density"):
        return []

    def by_density(outputs: Outputs) -> Floats:
        with np.errstate(invalid="ignore"):
            ratio = subject.log_density(outputs.numbers, x) - subject.log_density(outputs.numbers, y)
        return np.asarray(np.nan_to_num(ratio))

    try:
        by_density(Outputs(np.zeros((1, subject.released_dimension)), [b""]))
    except InvalidInputError:
        return []
    return [Score(_LOG_RATIO, by_density, Leaning.RATIO)]


def _accusation(event: Event, counts: Counts, again: Counts | None, promised: str, alpha: float) -> str:
    further = f" Then it happened {_happened(event, again)}, all fresh." if again else ""
    return (
        f"The event ({event.name}), chosen beforehand, happened {_happened(event, counts)}; promised is {promised}."
        f"{further} By chance a promise that is kept is accused so in fewer than {alpha:.2g} of audits, and by all "
        "that is tried together in fewer than the alpha of the audit."
    )


def _agreement(event: Event, counts: Counts, promised: str) -> str:
    seen = f"The event ({event.name}), chosen beforehand, happened {_happened(event, counts)}"
    if counts.hits <= counts.others:
        seen = f"No event that tells x and x' apart was found in {counts.of:,} outputs of each"
    return f"{seen}, which agrees with the promise ({promised}). Sampling can't show that a promise holds."


def _happened(event: Event, counts: Counts) -> str:
    against, other = ("x", "x'") if event.forward else ("x'", "x")
    return f"{times(counts.hits)} for {against} and {times(counts.others)} for {other} in {counts.of:,} outputs of each"


def _witness(pair: Pair, event: Event, distance: float, shown: float, loss: float) -> Witness:
    likelier = "x" if event.forward else "x'"
    return Witness(
        pair=(plain(pair[0]), plain(pair[1])),
        event=f"{event.name}, likelier for {likelier}",
        distance=distance,
        loss=shown,
        claimed=loss,
    )
