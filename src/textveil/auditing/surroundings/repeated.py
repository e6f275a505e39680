"""Noise that comes again in another run: of a second object, a forked worker, a new process, another epsilon.

The same inputs go in, in the same order. If the two runs are independent, the second is as likely in any other order
of the outputs that belong to the same input. So the chance that it agrees with the first at every place, given which
outputs there are, is at most prod n_v! / n! for an input that was given n times and came out as v n_v times. Nothing
is assumed about the law.

An object that remembers gives one output for an input, and another object another. Of k + 1 independent draws it has
a chance of at most 1 / (k + 1) that the last one alone differs, since each of them could be that one.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from textveil.auditing.report import Finding, Method, Verdict, Witness
from textveil.auditing.surroundings.processes import Outputs, in_forks, in_fresh_processes
from textveil.auditing.surroundings.subject import Subject, drawing
from textveil.auditing.values import key_of, plain

_MOST_INPUTS = 6
_DRAWS = 192
# Two epsilons that are all but the same: where the noise is, the words that come out are.
_NEARLY = 1 + 2.0**-30

Factory = Callable[[float], Any]


def repeated_noise(
    subject: Any, checked: Subject, alpha: float, *, factory: Factory | None, processes: bool
) -> list[Finding]:
    """Compare runs of the same inputs, two by two."""
    chosen = checked.inputs[:_MOST_INPUTS]
    inputs = [x for _ in range(_DRAWS // len(chosen)) for x in chosen]
    runs = list(_runs(subject, checked, inputs, factory, processes=processes))
    return [_finding(name, inputs, first, second, alpha / len(runs)) for name, (first, second) in runs]


def _runs(
    subject: Any, checked: Subject, inputs: Sequence[Any], factory: Factory | None, *, processes: bool
) -> Iterator[tuple[str, list[Outputs]]]:
    epsilon = checked.claim.epsilon
    if factory is not None:
        yield "two objects", [drawing(factory(epsilon))(inputs) for _ in range(2)]
    if not processes:
        return
    forked = in_forks([subject, subject], inputs)
    if forked is not None:
        yield "two forked workers", forked
    if factory is not None and forked is not None:
        # The objects are made where they are used, as workers do that are given an epsilon.
        others = in_forks([_Made(factory, epsilon * change) for change in (1.0, _NEARLY, 2.0)], inputs)
        if others is not None:
            yield "workers with epsilons that are nearly the same", others[:2]
            yield "workers with epsilons of which one is twice the other", others[::2]
    fresh = in_fresh_processes(subject, inputs)
    if fresh is not None:
        yield "two new processes", fresh


class _Made:
    """A function that makes what it calls when it is first called."""

    def __init__(self, factory: Factory, epsilon: float) -> None:
        self._factory, self._epsilon = factory, epsilon

    @cached_property
    def _draw(self) -> Callable[[Sequence[Any]], Outputs]:
        return drawing(self._factory(self._epsilon))

    def __call__(self, x: Any) -> Any:
        return self._draw([x])[0]


def _finding(name: str, inputs: Sequence[Any], first: Outputs, second: Outputs, alpha: float) -> Finding:
    again = min(chance_of_agreement(inputs, first, second), chance_of_pairing(inputs, first, second))
    kept = min(chance_of_memory(inputs, first, second), chance_of_memory(inputs, second, first))
    chance, what = (again, "the same noise") if again <= kept else (kept, "outputs that are remembered")
    # Four such chances were looked at.
    violated = 4 * chance <= alpha
    told = f"Between {name} there is {what}: by chance that happens with probability {4 * chance:.1e} at most."
    return Finding(
        name=f"noise of {name}",
        method=Method.CHECK,
        verdict=Verdict.VIOLATED if violated else Verdict.NOT_CERTIFIABLE,
        explanation=f"{told} Whoever has both releases can take the noise away."
        if violated
        else "No noise came again.",
        witness=Witness(pair=(plain(inputs[0]), plain(inputs[1])), event=f"{name}: {what}") if violated else None,
        samples=len(first) + len(second),
        alpha=alpha,
    )


def chance_of_agreement(inputs: Sequence[Any], first: Outputs, second: Outputs) -> float:
    """Bound the chance that two independent runs agree at every place; 1 if these do not."""
    ours, theirs = [key_of(output) for output in first], [key_of(output) for output in second]
    if ours != theirs:
        return 1.0
    log_chance = 0.0
    for outputs in _by_input(inputs, ours):
        ways = sum(math.lgamma(count + 1) for count in Counter(outputs).values())
        log_chance += ways - math.lgamma(len(outputs) + 1)
    return math.exp(log_chance)


def chance_of_pairing(inputs: Sequence[Any], first: Outputs, second: Outputs) -> float:
    """Bound the chance that every output is most like the one at the same place of the other run; 1 if it is not so.

    Outputs of each input are centred and scaled, so that noise that was only stretched is recognised.
    """
    log_chance = 0.0
    for pair in zip(_by_input(inputs, first), _by_input(inputs, second), strict=True):
        if not all(isinstance(output, np.ndarray) and output.dtype.kind == "f" for side in pair for output in side):
            return 1.0
        if len({output.shape for side in pair for output in side}) > 1 or pair[0][0].size == 0:
            return 1.0
        ours, theirs = (_standardised(np.stack(side)) for side in pair)
        gaps = np.linalg.norm(ours[:, None] - theirs[None], axis=-1)
        own = np.diag(gaps).copy()
        np.fill_diagonal(gaps, math.inf)
        if not (own < gaps.min(axis=1)).all():
            return 1.0
        log_chance -= math.lgamma(len(ours) + 1)
    return math.exp(log_chance)


def chance_of_memory(inputs: Sequence[Any], first: Outputs, second: Outputs) -> float:
    """Bound the chance that each input has one output in the first run and another, first, in the second."""
    chance = 1.0
    keys = [[key_of(output) for output in run] for run in (first, second)]
    for ours, theirs in zip(*(_by_input(inputs, run) for run in keys), strict=True):
        if len(set(ours)) > 1 or theirs[0] == ours[0]:
            return 1.0
        chance /= len(ours) + 1
    return chance


def _by_input(inputs: Sequence[Any], outputs: Sequence[Any]) -> list[list[Any]]:
    groups = defaultdict(list)
    for x, output in zip(inputs, outputs, strict=True):
        groups[key_of(x)].append(output)
    return list(groups.values())


def _standardised(vectors: Any) -> Any:
    centred = vectors.reshape(len(vectors), -1) - vectors.reshape(len(vectors), -1).mean(axis=0)
    return centred / (np.sqrt((centred**2).mean()) or 1.0)
