"""A function of your own as an encoder."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from textveil.encoders.encoder import Vectors, packed, readable, unquoted
from textveil.errors import InvalidInputError, require_count
from textveil.hashing import Packed
from textveil.receipts import digest_of

# Few functions may be called by several threads; batches wait for each other.
_ONE_CALL = threading.Lock()
_PROBES = ("A short text.", "A text that is a good deal longer than the other one, with 3 commas, and numbers.", "")


class FunctionEncoder:
    """Gives a text the vector that a public function gives it.

    The function must not have been made from the private texts, must not keep or log what it is given, and must give a
    text the same vector each time.

    Parameters
    ----------
    function : list of texts -> array (texts, dimension)
    dimension : numbers of a vector
    name : says which function, in receipts: change it when the function changes
    at_once : texts of one call. One by one is always right; for more, a few public texts are tried alone and together,
        and a function that gives them different vectors is refused
    """

    def __init__(self, function: Callable[[list[str]], Any], *, dimension: int, name: str, at_once: int = 1) -> None:
        if not callable(function):
            raise InvalidInputError(f"function must take a list of texts (got {type(function).__name__})")
        self._function = function
        self._dimension = require_count("dimension", dimension)
        self._at_once = require_count("at_once", at_once)
        self.name = name
        if self._at_once > 1:
            self._try_out()

    @property
    def dimension(self) -> int:
        """As given."""
        return self._dimension

    @property
    def digest(self) -> str:
        """The sha256 of the name and the dimension: textveil can't see what the function does."""
        return digest_of(self.spec())

    @property
    def meaning(self) -> str:
        """Which vector a text gets."""
        return f"the vector that {self.name} gives it"

    def spec(self) -> dict[str, Any]:
        """Return the encoder as plain values."""
        return {"encoder": "FunctionEncoder", "name": self.name, "dimension": self._dimension}

    def encode(self, texts: Packed | Sequence[str]) -> Vectors:
        """Return the vector of each text: nothing is released, so give public texts."""
        texts = packed(texts)
        vectors, asked = np.empty((len(texts), self._dimension)), readable(texts)
        for start in range(0, len(texts), self._at_once):
            vectors[start : start + self._at_once] = self._call(asked[start : start + self._at_once])
        return vectors

    def _call(self, texts: Sequence[str]) -> Vectors:
        with _ONE_CALL, unquoted(self.name):
            answer = np.asarray(self._function(list(texts)))
        if answer.shape != (len(texts), self._dimension) or answer.dtype.kind not in "fiu":
            raise InvalidInputError(
                f"{self.name} gave an array of {answer.dtype} of shape {answer.shape} for {len(texts)} texts; "
                f"numbers of shape {(len(texts), self._dimension)} are needed"
            )
        if not np.isfinite(answer).all():
            raise InvalidInputError(f"{self.name} gave a NaN or an infinity; every text must have a finite vector")
        return answer.astype(np.float64)

    def _try_out(self) -> None:
        texts = [_PROBES[place % len(_PROBES)] for place in range(self._at_once)]
        together = self._call(texts)
        alone = np.concatenate([self._call([text]) for text in texts[: len(_PROBES)]])
        if not np.array_equal(together, alone[np.arange(self._at_once) % len(_PROBES)]):
            raise InvalidInputError(
                f"{self.name} gives a text another vector alone than among others; leave at_once=1, or give it "
                "batches without padding"
            )
