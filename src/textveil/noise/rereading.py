"""Draw from as many random words as it takes, however many that is, without touching the law.

A draw that runs out of words is begun again from its first word with more of them: the same words give the
same answer, so nothing depends on where a row happened to end. Drawing again from fresh words would favour
the values that need few.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from textveil.noise.reading import Rows, until_done
from textveil.randomness import Streams, Words

_GROWTH = 4


def until_enough(streams: Streams, width: int, attempt: Callable[[Words, Rows], NDArray[np.bool_]]) -> None:
    """Call `attempt(words, rows)` with `width` words an item at first, and four times as many for those not done.

    Parameters
    ----------
    streams : one an item
    width : words at the first attempt, an even number
    attempt : draws for some rows, each from the beginning of its words, and says which had enough
    """
    seen: Words = np.empty((len(streams), 0), dtype=np.uint64)

    def again(part: Streams, rows: Rows) -> NDArray[np.bool_]:
        nonlocal seen
        fresh = part.words((_GROWTH - 1) * seen.shape[1] or width)
        words = np.concatenate([seen, fresh], axis=1) if seen.size else np.ascontiguousarray(fresh)
        done = attempt(words, rows)
        seen = words[~done]
        return done

    until_done(streams, again)
