"""What an encoder is: a public function that gives each text a vector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.hashing import Packed
from textveil.text.columns import texts_in

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


@contextmanager
def unquoted(name: str) -> Iterator[None]:
    """Say that a function of someone else failed, but not what it said, which may quote private texts."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - anything may quote
        raise InvalidInputError(
            f"{name} failed with {type(error).__name__} (its message may quote the text, so it is not shown); try it "
            "on public texts"
        ) from None


def packed(texts: Packed | Sequence[str]) -> Packed:
    """Return texts as UTF-8, one after the other."""
    if isinstance(texts, Packed):
        return texts
    return Packed.of([text.encode("utf-8", errors="surrogatepass") for text in texts_in(texts)])


def readable(texts: Packed, *, most: int | None = None) -> list[str]:
    """Return UTF-8 texts, or the first `most` bytes of each, as str; what is not UTF-8 becomes U+FFFD."""
    data, places = texts.data, texts.offsets.tolist()
    pieces = (data[first:last][:most].tobytes() for first, last in pairwise(places))
    return [piece.decode("utf-8", errors="replace") for piece in pieces]
