"""What an encoder is: a public function that gives each text a vector."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from textveil.hashing import Packed

Vectors = NDArray[np.float64]


class Encoder(Protocol):
    """Gives each text a vector, which must depend on nothing but that text: not on its batch, nor on earlier ones.

    All of it is public, and must be made independently of the private texts.
    """

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        ...

    @property
    def digest(self) -> str:
        """The sha256 of all that the vectors depend on."""
        ...

    @property
    def meaning(self) -> str:
        """Which vector a text gets, in words."""
        ...

    def spec(self) -> dict[str, Any]:
        """Return the encoder as plain values; tables and models by their sha256."""
        ...

    def encode(self, texts: Packed) -> Vectors:
        """Return one vector a text; from any thread."""
        ...
