"""A trained auto-encoder: utterances to vectors of a ball and back, from one checked file, without torch.

Everything that is written passes through the vector; so does how much is written. Whatever noise is put on the vector
covers the whole utterance: docs/mechanisms/adept.md. Training: docs/learning.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.durable import write_whole
from textveil.errors import CertificateError, InvalidInputError, require_count, require_positive
from textveil.immutable import SetOnce, read_only
from textveil.learn.autoencoder.model_files import content_digest, pack, unpack
from textveil.learn.autoencoder.network import Network, Shape, Vectors
from textveil.learn.autoencoder.tokens import WordTable
from textveil.noise.clipping import clipped
from textveil.noise.transforms import uniforms

SHIPPED = "assistant.npz"
_SHIPPED_SHA256 = "43ea753fde99576a1f931bab97711844a4899d99672c4cacb7f9245634ff8bf8"
# Vectors that are written from at once.
_PORTION = 512


class AutoEncoder(SetOnce):
    """Gives an utterance a vector no longer than `clip`, and a vector an utterance.

    All of it is public, and must be made without the utterances that are released with it.

    Parameters
    ----------
    shape : sizes of the network
    table : its words
    weights : arrays named as `shape.weights` says; rounded to float16
    about : what it was trained for, as plain values: "noise", a name, and "epsilon", the least and the largest
    beam : how many utterances the search for the likeliest keeps at a time. 0 draws each word by its chance: what comes
        out is more various, and more is learned from it
    """

    def __init__(
        self,
        shape: Shape,
        table: WordTable,
        weights: Mapping[str, NDArray[Any]],
        *,
        about: Mapping[str, Any],
        beam: int = 0,
    ) -> None:
        self.shape, self.table = shape, table
        self.beam = require_count("beam", beam, least=0)
        wanted = shape.weights(len(table))
        if {name: values.shape for name, values in weights.items()} != wanted:
            raise InvalidInputError("weights do not belong to the shape and the words of this auto-encoder")
        if any(values.dtype.kind != "f" for values in weights.values()):
            raise InvalidInputError("weights must be floating-point numbers")
        with np.errstate(over="ignore"):
            self._weights = {name: read_only(weights[name].astype(np.float16)) for name in wanted}
        if not all(np.isfinite(values).all() for values in self._weights.values()):
            raise InvalidInputError("weights must be finite, and at most 65504")
        self._network = Network(shape, self._weights)
        self._about = _checked(about)

    def __repr__(self) -> str:
        low, high = self.epsilons
        return (
            f"AutoEncoder of {len(self.table.words):,} words, {self.dimension} numbers, at most {self.table.length} "
            f"words an utterance, trained for epsilon {low:g} to {high:g} of {self._about['noise']}"
        )

    @classmethod
    def default(cls, *, beam: int = 0) -> AutoEncoder:
        """Return the one that comes with textveil: small, of made-up requests to an assistant."""
        content = files("textveil.learn.autoencoder").joinpath("data", SHIPPED).read_bytes()
        if hashlib.sha256(content).hexdigest() != _SHIPPED_SHA256:
            raise CertificateError(f"{SHIPPED} is not the file that came with textveil; reinstall textveil")
        return cls._of(content, SHIPPED, beam)

    @classmethod
    def load(cls, path: str | Path, *, beam: int = 0) -> AutoEncoder:
        """Read a model that was saved; a file that was changed is refused."""
        try:
            content = Path(path).read_bytes()
        except FileNotFoundError:
            raise InvalidInputError(f"there is no file {str(path)!r}; textveil train autoencoder makes one") from None
        return cls._of(content, path, beam)

    @classmethod
    def _of(cls, content: bytes, name: str | Path, beam: int) -> AutoEncoder:
        config, words, weights = unpack(content, name)
        try:
            shape, length, about = Shape(**config["shape"]), config["length"], config["about"]
        except (KeyError, TypeError):
            raise InvalidInputError(
                f"{name}: its configuration is not that of an auto-encoder; train it again"
            ) from None
        return cls(shape, WordTable(words, length), weights, about=about, beam=beam)

    def save(self, path: str | Path) -> None:
        """Write the model to one file, all or nothing."""
        write_whole(Path(path), pack(self._config, self.table.words, self._weights))

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        return self.shape.latent

    @property
    def clip(self) -> float:
        """No vector is longer than this."""
        return self.shape.clip

    @property
    def about(self) -> dict[str, Any]:
        """What it was trained for, as plain values."""
        return deepcopy(self._about)

    @property
    def epsilons(self) -> tuple[float, float]:
        """The least and the largest epsilon that it was trained for."""
        low, high = self._about["epsilon"]
        return float(low), float(high)

    @cached_property
    def digest(self) -> str:
        """The sha256 of all that vectors and utterances depend on."""
        return content_digest({**self._config, "beam": self.beam}, self.table.words, self._weights)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vector of each utterance, (n, dimension): it depends on that utterance alone, bit for bit."""
        return self._network.encode([self.table.ids(text) for text in texts])

    def decode(self, vectors: Vectors) -> list[str]:
        """Return an utterance for each vector: words of the public table, at most `table.length` of them.

        A vector outside the ball is read as the nearest one of the ball, where all utterances are. Otherwise its length
        would tell the writer how much noise there is, and much noise would make it write the same about everything:
        likely words, from which nothing is learned, where a definite guess, right or wrong, can be counted.
        """
        written: list[str] = []
        for start in range(0, len(vectors), _PORTION):
            part = clipped(np.array(vectors[start : start + _PORTION], dtype=np.float64), self.clip, order=2)
            written += map(self.table.text, self._written(part))
        return written

    def _written(self, vectors: Vectors) -> list[list[int]]:
        length = self.table.length
        if self.beam > 1:
            return self._network.beam(vectors, length, self.beam)
        return self._network.write(vectors, length, None if self.beam else _draws(vectors, length))

    @property
    def _config(self) -> dict[str, Any]:
        return {"shape": vars(self.shape), "length": self.table.length, "about": self._about}


def _checked(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of what a model says of itself, if it says what it must."""
    try:
        noise, (low, high) = about["noise"], about["epsilon"]
    except (KeyError, TypeError, ValueError):
        noise = None
    if not isinstance(noise, str):
        raise InvalidInputError(
            'about must have "noise", a name, and "epsilon", the least and the largest; train again'
        )
    for end in (low, high):
        require_positive("epsilon in about", end)
    return deepcopy(dict(about))


def _draws(vectors: Vectors, count: int) -> Vectors:
    """Return uniform numbers for each vector, a function of it alone: they decide among words and protect nothing."""
    hashed = b"".join(hashlib.shake_128(vector.tobytes()).digest(8 * count) for vector in vectors)
    return uniforms(np.frombuffer(hashed, dtype=np.uint64).reshape(len(vectors), count))
