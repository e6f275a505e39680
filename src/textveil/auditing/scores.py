"""What may tell the outputs of two inputs apart: a number for each output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from textveil.auditing.counts import Floats
from textveil.auditing.outputs import Outputs, as_vector, name_of

_LARGEST = 1e38


class Leaning(Enum):
    """What a large score speaks for: neither input by itself; the first; the first, as the log-ratio of a known law."""

    NONE = 0
    FIRST = 1
    RATIO = 2


@dataclass(frozen=True)
class Score:
    """A number for each output.

    Parameters
    ----------
    name : what it is; x and x' are the two inputs
    of : computes it
    leaning : which input a large one speaks for
    """

    name: str
    of: Callable[[Outputs], Floats]
    leaning: Leaning = Leaning.NONE

    def __call__(self, outputs: Outputs) -> Floats:
        """Return the score of each output, to seven digits.

        Scores of noise beyond both inputs are equal but for rounding, and rounding tells inputs apart. That is a breach
        of its own kind, which `surroundings` looks for; here it would hide what the law does.
        """
        return np.clip(self.of(outputs), -_LARGEST, _LARGEST).astype(np.float32).astype(np.float64)


def given_scores(pair: tuple[Any, Any], outputs: Outputs) -> Iterator[Score]:
    """Return scores that need nothing but the inputs.

    Parameters
    ----------
    pair : the two inputs
    outputs : some outputs, to see of which kind they are
    """
    if outputs.numbers is None:
        yield from _text_scores(pair)
        return
    yield _of_numbers("|output|", lambda table: np.linalg.norm(table, axis=1))
    yield _of_numbers("the sum of the output", lambda table: table.sum(axis=1))
    x, y = (as_vector(value, outputs.numbers.shape[1]) for value in pair)
    if x is not None and y is not None:
        yield from _centred_scores("x", x, "x'", y)


def fitted_scores(first: Outputs, second: Outputs) -> Iterator[Score]:
    """Return scores that are fitted to outputs, so that others are needed to judge them."""
    if first.numbers is not None and second.numbers is not None:
        medians = np.median(first.numbers, axis=0), np.median(second.numbers, axis=0)
        yield from _centred_scores("the median for x", medians[0], "the median for x'", medians[1])
        yield _of_numbers("the fitted discriminant", _discriminant(first.numbers, second.numbers), Leaning.FIRST)
    if first.numbers is None or len({*first.names, *second.names}) < len(first) + len(second):
        yield Score("how much likelier this very output was before, for x", _likelier(first, second), Leaning.FIRST)


def _of_numbers(name: str, of: Callable[[Floats], Floats], leaning: Leaning = Leaning.NONE) -> Score:
    def score(outputs: Outputs) -> Floats:
        if outputs.numbers is None:
            raise ValueError("outputs must be numbers here")
        return of(outputs.numbers)

    return Score(name, score, leaning)


def _centred_scores(x: str, at: Floats, y: str, other: Floats) -> Iterator[Score]:
    """The log-ratios of noise in the l1 norm, in l2, and of normal noise, around two centres; and who is how far."""

    def nearer(order: int) -> Callable[[Floats], Floats]:
        def score(table: Floats) -> Floats:
            away, near = (np.linalg.norm(table - centre, order, axis=1) for centre in (other, at))
            return np.asarray(away - near)

        return score

    for order in (1, 2):
        yield _of_numbers(f"|output - {y}| - |output - {x}| in l{order}", nearer(order), Leaning.FIRST)
    if (at != other).any():
        way = (at - other) / np.linalg.norm(at - other)
        yield _of_numbers(f"the output along {x} - {y}", lambda table: (table - other) @ way, Leaning.FIRST)
    yield _of_numbers(f"|output - {x}|", lambda table: np.linalg.norm(table - at, axis=1))
    yield _of_numbers(f"|output - {y}|", lambda table: np.linalg.norm(table - other, axis=1))


def _discriminant(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """Fit normal laws with independent coordinates to both; their log-ratio sees other centres and other widths."""
    means = first.mean(axis=0), second.mean(axis=0)
    whole = np.concatenate([first, second]).var(axis=0) + 1e-300
    # A tenth of the common variance keeps a coordinate that happened to be still from deciding alone.
    widths = first.var(axis=0) * 0.9 + 0.1 * whole, second.var(axis=0) * 0.9 + 0.1 * whole

    def depth(table: Floats, input_: int) -> Floats:
        width = widths[input_]
        return np.asarray((np.square(table - means[input_]) / width + np.log(width)).sum(axis=1))

    return lambda table: (depth(table, 1) - depth(table, 0)) / 2


def _text_scores(pair: tuple[Any, Any]) -> Iterator[Score]:
    for name, value in zip(("x", "x'"), pair, strict=True):
        own = name_of(value)
        words = frozenset(value.lower().split()) if isinstance(value, str) else frozenset()
        yield _of_names(f"whether the output is {name}", lambda output, own=own: output == own)  # type: ignore[misc]
        yield _of_names(
            f"how many words the output shares with {name}",
            lambda output, words=words: len(words & set(str(output).lower().split())),  # type: ignore[misc]
        )
    yield _of_names("the length of the output", lambda output: len(str(output)))


def _of_names(name: str, of: Callable[[Any], float]) -> Score:
    return Score(name, lambda outputs: np.array([float(of(output)) for output in outputs.names]))


def _likelier(first: Outputs, second: Outputs) -> Callable[[Outputs], Floats]:
    a, b = Counter(first.names), Counter(second.names)
    ratios = {name: float(np.log((a[name] + 0.5) / (b[name] + 0.5))) for name in {*a, *b}}
    return lambda outputs: np.array([ratios.get(name, 0.0) for name in outputs.names])
