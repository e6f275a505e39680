"""When to look: often enough that a gross breach is seen early, seldom enough that looking costs little."""

from __future__ import annotations

from typing import NamedTuple

# Samples are doubled from look to look; the first has at least so many of each input.
_FIRST = 8
# What the looks before the last may spend of the chance of a false alarm.
_EARLY = 0.1


class Look(NamedTuple):
    """Look at so many outputs of each input, with this chance of a false alarm."""

    samples: int
    alpha: float


def looks(samples: int, alpha: float) -> list[Look]:
    """Return the looks at up to `samples` outputs of each input; their chances of a false alarm add up to alpha.

    The last look has nine tenths of alpha; the earlier ones share the rest equally.
    """
    sizes = [samples]
    while sizes[-1] // 2 >= _FIRST:
        sizes.append(sizes[-1] // 2)
    if len(sizes) == 1:
        return [Look(samples, alpha)]
    early = _EARLY * alpha / (len(sizes) - 1)
    return [*(Look(size, early) for size in reversed(sizes[1:])), Look(samples, (1 - _EARLY) * alpha)]
