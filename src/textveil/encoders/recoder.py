"""Recoding: a small public network that moves sentence vectors so that clusters of documents are kept, and spread.

It is trained by `textveil train recoder` and needs no torch here. A recoded vector depends on its own vector alone, bit
for bit: each number is a sum taken in one fixed order, whatever else is recoded with it (docs/recoding.md).
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.durable import write_whole
from textveil.encoders.encoder import Encoder, Vectors, packed
from textveil.errors import CertificateError, InvalidInputError
from textveil.hashing import Packed
from textveil.immutable import read_only
from textveil.mechanisms.vectors import checked_vectors
from textveil.receipts import digest_of

Weights = NDArray[np.float32]

_FORMAT = "textveil recoder 1"
# Numbers beyond this count as at it, so that single precision can hold them.
_LARGEST = 1e6


@dataclass(frozen=True, eq=False)
class Recoder:
    """A perceptron: products with matrices, with what is negative set to 0 in between, and unit length at the end.

    Parameters
    ----------
    matrices : one a layer, shape (numbers in, numbers out)
    offsets : one a layer, what is added to the product
    encoder : the digest of the encoder whose vectors it was trained on
    """

    matrices: Sequence[Weights]
    offsets: Sequence[Weights]
    encoder: str

    def __post_init__(self) -> None:
        for name in ("matrices", "offsets"):
            parts = tuple(read_only(np.array(part, dtype=np.float32)) for part in getattr(self, name))
            object.__setattr__(self, name, parts)
        sizes = [(matrix.shape[0] if matrix.ndim == 2 else -1) for matrix in self.matrices]
        fits = [
            matrix.ndim == 2 and offset.shape == matrix.shape[1:] and following in (-1, len(offset))
            for matrix, offset, following in zip(self.matrices, self.offsets, [*sizes[1:], -1], strict=False)
        ]
        if not fits or not all(fits) or len(self.matrices) != len(self.offsets):
            raise InvalidInputError("a recoder needs one matrix and one offset a layer, of sizes that fit each other")
        if not all(np.isfinite(part).all() for part in (*self.matrices, *self.offsets)):
            raise InvalidInputError("the weights of a recoder must be finite; train it again with a lower rate")

    def __reduce__(self) -> tuple[Any, ...]:
        return Recoder, (self.matrices, self.offsets, self.encoder)

    @property
    def takes(self) -> int:
        """Numbers of a vector before."""
        return int(self.matrices[0].shape[0])

    @property
    def dimension(self) -> int:
        """Numbers of a recoded vector."""
        return len(self.offsets[-1])

    @cached_property
    def digest(self) -> str:
        """The sha256 of the weights and of what they were trained on."""
        content = hashlib.sha256(json.dumps([_FORMAT, self.encoder]).encode())
        for part in (*self.matrices, *self.offsets):
            content.update(f"{part.shape}".encode() + part.astype("<f4").tobytes())
        return content.hexdigest()

    def recode(self, vectors: Any) -> Vectors:
        """Return vectors (n, dimension) of unit length; nothing is released.

        Parameters
        ----------
        vectors : of the encoder, one or many
        """
        numbers = np.clip(checked_vectors(vectors, self.takes), -_LARGEST, _LARGEST).astype(np.float32)
        for layer, (matrix, offset) in enumerate(zip(self.matrices, self.offsets, strict=True)):
            following = np.empty((len(numbers), len(offset)), dtype=np.float32)
            _layer(np.maximum(numbers, 0) if layer else numbers, matrix, offset, following)
            numbers = following
        units = np.empty(numbers.shape)
        _units(numbers, units)
        return units

    def save(self, path: str | Path) -> None:
        """Write the recoder to one file, whole or not at all."""
        head = json.dumps({"format": _FORMAT, "encoder": self.encoder, "sha256": self.digest}).encode()
        parts = {f"matrix{layer}": matrix for layer, matrix in enumerate(self.matrices)}
        parts |= {f"offset{layer}": offset for layer, offset in enumerate(self.offsets)}
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, head=np.frombuffer(head, dtype=np.uint8), **parts)
        write_whole(Path(path), content.getvalue())

    @classmethod
    def load(cls, path: str | Path) -> Recoder:
        """Read a recoder that `save` wrote; one that was damaged is refused."""
        try:
            with np.load(path, allow_pickle=False) as parts:
                head = json.loads(parts["head"].tobytes())
                layers = range((len(parts.files) - 1) // 2)
                found = cls(
                    [parts[f"matrix{layer}"] for layer in layers],
                    [parts[f"offset{layer}"] for layer in layers],
                    str(head["encoder"]),
                )
                sha256 = head["sha256"]
        except FileNotFoundError:
            raise InvalidInputError(f"there is no file {str(path)!r}; textveil train recoder makes one") from None
        except (zipfile.BadZipFile, KeyError, TypeError, ValueError, EOFError, OSError, AttributeError):
            raise InvalidInputError(f"{str(path)!r} is no recoder; textveil train recoder makes one") from None
        if found.digest != sha256:
            raise CertificateError(f"{str(path)!r} is not as it was saved: its sha256 is another; train it again")
        return found


class Recoded:
    """Gives a text the vector that a recoder makes of another encoder's.

    Parameters
    ----------
    encoder : the one that the recoder was trained on
    recoder : trained on public documents
    """

    def __init__(self, encoder: Encoder, recoder: Recoder) -> None:
        if encoder.digest != recoder.encoder:
            raise InvalidInputError(
                "the recoder was trained on the vectors of another encoder (or another precision of it); give that one"
            )
        self.encoder, self.recoder = encoder, recoder

    @property
    def dimension(self) -> int:
        """That of the recoder."""
        return self.recoder.dimension

    @property
    def digest(self) -> str:
        """The sha256 of the encoder and the recoder."""
        return digest_of(self.spec())

    @property
    def meaning(self) -> str:
        """Which vector a text gets."""
        return f"what a public network ({self.recoder.digest[:8]}) makes, at unit length, of {self.encoder.meaning}"

    def spec(self) -> dict[str, Any]:
        """Return the encoder as plain values."""
        return {"encoder": "Recoded", "before": self.encoder.spec(), "recoder": self.recoder.digest}

    def encode(self, texts: Packed | Sequence[str]) -> Vectors:
        """Return the vector of each text: nothing is released, so give public texts."""
        return self.recoder.recode(self.encoder.encode(packed(texts)))


@compiled
def _layer(numbers, matrix, offset, following):  # type: ignore[no-untyped-def]
    """Write numbers times the matrix, plus the offset, each sum in the order of its terms."""
    for i in range(numbers.shape[0]):
        row = following[i]
        row[:] = offset
        for k in range(matrix.shape[0]):
            number = numbers[i, k]
            if number == 0.0:
                continue
            for j in range(row.size):
                row[j] += number * matrix[k, j]


@compiled
def _units(vectors, units):  # type: ignore[no-untyped-def]
    """Divide vectors by their lengths; one without a length becomes 0."""
    for i in range(vectors.shape[0]):
        square = 0.0
        for number in vectors[i]:
            square += np.float64(number) * np.float64(number)
        length = np.sqrt(square)
        usable = 0.0 < length < np.inf
        for j in range(vectors.shape[1]):
            units[i, j] = np.float64(vectors[i, j]) / length if usable else 0.0
