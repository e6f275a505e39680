"""IS-A relations between names, ready for training: checked, filtered, closed and stored by node.

A relation (a, b) says that a is a kind of b: (dog, animal). All of it is public.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, require_count

Ids = NDArray[np.int64]

# Pairs of a closure that still fit into memory with room to train.
MOST_PAIRS = 100_000_000
_SHOWN = 5


@dataclass(frozen=True)
class Relations:
    """Names and, for each, what it is a kind of: `above[offsets[i]:offsets[i + 1]]`, sorted ids."""

    names: tuple[str, ...]
    offsets: Ids
    above: Ids

    @classmethod
    def of_pairs(cls, pairs: Sequence[tuple[str, str]], *, closure: bool = True, cycles: bool = False) -> Relations:
        """Number the names and sort the pairs; repeated pairs count once.

        Parameters
        ----------
        pairs
            (lower, upper): the first is a kind of the second.
        closure
            Add what follows: if a is a b and b is a c, then a is a c.
        cycles
            Keep relations that go round in a circle, as counted pairs from texts do; there is no closure then.
        """
        names = tuple(dict.fromkeys(name for pair in pairs for name in pair))
        number = {name: i for i, name in enumerate(names)}
        above: list[set[int]] = [set() for _ in names]
        for lower, upper in pairs:
            if lower != upper:
                above[number[lower]].add(number[upper])
            elif not cycles:
                raise InvalidInputError(
                    f"{lower!r} is related to itself; drop the line, or allow cycles (--allow-cycles)"
                )
        if not any(above):
            raise InvalidInputError("no relations are left to train on; give pairs of different names, or filter less")
        if not cycles:
            order = _upper_first(names, above)
            if closure:
                _close(above, order)
        offsets = np.zeros(len(names) + 1, dtype=np.int64)
        np.cumsum([len(some) for some in above], out=offsets[1:])
        return cls(names, offsets, np.fromiter((i for some in above for i in sorted(some)), np.int64, offsets[-1]))

    def __len__(self) -> int:
        return len(self.above)

    @cached_property
    def below(self) -> tuple[Ids, Ids]:
        """Offsets and ids of what lies below each node, the other way round."""
        lower = np.repeat(np.arange(len(self.names)), np.diff(self.offsets))
        order = np.argsort(self.above, kind="stable")
        return np.searchsorted(self.above[order], np.arange(len(self.names) + 1)), lower[order]

    @cached_property
    def digest(self) -> str:
        """The sha256 of names and pairs."""
        content = hashlib.sha256("\n".join(self.names).encode())
        content.update(self.offsets.tobytes() + self.above.tobytes())
        return content.hexdigest()


def filtered(
    counted: Sequence[tuple[str, str, int]],
    *,
    minimum_count: int = 1,
    minimum_links: int = 1,
    within: Collection[str] | None = None,
    without: Collection[str] = (),
) -> list[tuple[str, str]]:
    """Keep the pairs that were seen often enough, between the right words, each of which has enough of them.

    Feyisetan, Diethe and Drake (2019) kept pairs of words of GloVe seen at least 10 times, dropped stop words and
    offensive words, and words with at most two links: `minimum_count=10, minimum_links=3`.

    Parameters
    ----------
    counted
        (lower, upper, times seen); a pair that occurs twice has the sum of its counts.
    minimum_count
        Least times that a pair was seen.
    minimum_links
        Least pairs of a word, in either place, among those that are kept: words go until all the rest have so many.
    within, without
        Words that both ends must, or must not, belong to.
    """
    require_count("minimum_count", minimum_count)
    require_count("minimum_links", minimum_links)
    seen: dict[tuple[str, str], int] = {}
    for lower, upper, count in counted:
        seen[lower, upper] = seen.get((lower, upper), 0) + count
    excluded = set(without)
    pairs = [
        pair
        for pair, count in seen.items()
        if count >= minimum_count
        and excluded.isdisjoint(pair)
        and (within is None or (pair[0] in within and pair[1] in within))
    ]
    while True:
        links: dict[str, int] = {}
        for pair in pairs:
            for name in pair:
                links[name] = links.get(name, 0) + 1
        kept = [pair for pair in pairs if min(links[pair[0]], links[pair[1]]) >= minimum_links]
        if len(kept) == len(pairs):
            return kept
        pairs = kept


def _upper_first(names: Sequence[str], above: Sequence[set[int]]) -> list[int]:
    """Order the nodes so that each comes after all that lie above it; refuse a circle."""
    waiting = [len(some) for some in above]
    below: list[list[int]] = [[] for _ in above]
    for lower, some in enumerate(above):
        for upper in some:
            below[upper].append(lower)
    order = [node for node, count in enumerate(waiting) if count == 0]
    for node in order:
        for lower in below[node]:
            waiting[lower] -= 1
            if waiting[lower] == 0:
                order.append(lower)
    if len(order) < len(names):
        raise InvalidInputError(_circle(names, above, waiting))
    return order


def _circle(names: Sequence[str], above: Sequence[set[int]], waiting: Sequence[int]) -> str:
    node = next(i for i, count in enumerate(waiting) if count)
    way: dict[int, int] = {}
    while node not in way:
        way[node] = len(way)
        node = min(upper for upper in above[node] if waiting[upper])
    around = [names[i] for i in way if way[i] >= way[node]]
    shown = around if len(around) <= _SHOWN else [*around[: _SHOWN - 1], f"... ({len(around)} names)"]
    return (
        f"the relations go round in a circle ({' is a '.join([*shown, names[node]])}), so none of these is the more "
        "general one; drop a line of it, or allow cycles (--allow-cycles)"
    )


def _close(above: list[set[int]], order: Sequence[int]) -> None:
    """Add to each node what lies above the nodes above it."""
    total = 0
    for node in order:
        for upper in tuple(above[node]):
            above[node] |= above[upper]
        total += len(above[node])
        if total > MOST_PAIRS:
            raise InvalidInputError(
                f"the closure has more than {MOST_PAIRS:,} pairs; train on the pairs as they are (no closure)"
            )
