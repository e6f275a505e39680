"""Points snapped to a power-of-two lattice, collected row by row in memory near the final table.

On the lattice distances and scores are exact in float64 (see `spaces.euclidean`), and the digest of a
table does not depend on the precision of the file that it came from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.spaces import Space

STEP = 2.0**-20
# Multiples of the step up to here are exact in float64.
LARGEST = 2.0**32
MOST_DIMENSIONS = 65_536

_ROWS = 4096


def step_of(space: Space | None) -> float:
    """Return how finely a space wants its points kept: 2^-20 unless it has a `step` of its own."""
    return float(getattr(space, "step", STEP))


class LatticeTable:
    """A growing table of lattice points: float32 as long as that is exact, else float64."""

    def __init__(self, dimension: int, *, step: float = STEP, capacity: int = _ROWS) -> None:
        if not 1 <= dimension <= MOST_DIMENSIONS:
            raise InvalidInputError(f"vectors must have between 1 and {MOST_DIMENSIONS} dimensions (got {dimension})")
        self.dimension = dimension
        self._step = step
        self._count = 0
        self._points: NDArray[Any] = np.empty((capacity, dimension), dtype=np.float32)
        self._vanished = ""

    def append(self, words: Sequence[str], vectors: NDArray[Any]) -> None:
        """Snap `vectors` and add them; `words` name the rows in errors."""
        for start in range(0, len(vectors), _ROWS):
            self._append(words[start : start + _ROWS], vectors[start : start + _ROWS])

    def finish(self) -> NDArray[Any]:
        """Return the table, read-only; nothing can be appended afterwards."""
        points = self._points
        points.resize((self._count, self.dimension), refcheck=False)
        if self._vanished and not points.any():
            raise InvalidInputError(
                f"every vector is below the lattice step 2^{round(math.log2(self._step))} (for example that of "
                f"{self._vanished!r}); multiply the vectors by a public constant"
            )
        points.flags.writeable = False
        return points

    def _append(self, words: Sequence[str], vectors: NDArray[Any]) -> None:
        block = np.asarray(vectors, dtype=np.float64)
        usable = np.abs(block) < LARGEST
        if not usable.all():
            word = words[int(np.flatnonzero(~usable.all(axis=1))[0])]
            raise InvalidInputError(
                f"the vector of {word!r} must be finite and below 2^32 in every coordinate; "
                "drop the word or rescale the vectors"
            )
        # Adding zero turns -0.0 into 0.0, so that equal points have equal bytes.
        snapped = np.rint(block / self._step) * self._step + 0.0
        if not self._vanished and block.any() and not snapped.any():
            self._vanished = words[0]
        end = self._count + len(block)
        if end > len(self._points):
            # A quarter more each time: resizing in place moves pages and does not copy them.
            self._points.resize((max(end, len(self._points) * 5 // 4), self.dimension), refcheck=False)
        if self._points.dtype == np.float32 and not (snapped.astype(np.float32) == snapped).all():
            wider = np.empty(self._points.shape)
            wider[: self._count] = self._points[: self._count]
            self._points = wider
        self._points[self._count : end] = snapped
        self._count = end
