"""What a space must offer to the parts that only need distances."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


class Space(Protocol):
    """A metric on points of a fixed dimension.

    A space may also have a `step`, of which a vocabulary's coordinates are made multiples (2^-20 otherwise), and a
    method `inside(points)` that says which rows are points of it at all.
    """

    @property
    def dimension(self) -> int:
        """Coordinates of a point."""
        ...

    @property
    def metric(self) -> str:
        """The distance in words, as guarantees name it."""
        ...

    def distances(self, a: Points, b: Points) -> NDArray[np.float64]:
        """Return the distances of every row of `a` to every row of `b`, in float64."""
        ...

    def relative_error(self, points: Points) -> float:
        """Bound the relative error of `distances` between these points."""
        ...
