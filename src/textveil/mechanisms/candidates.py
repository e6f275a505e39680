"""Public candidates: the documents or sentences that a release chooses from, as vectors, with or without texts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.durable import replacing
from textveil.errors import InvalidInputError
from textveil.gpu.devices import checked_device, device_here
from textveil.hashing import Packed
from textveil.immutable import Immutable, read_only
from textveil.mechanisms.candidate_files import CandidateFile, TextEncoder, encoded
from textveil.vocabulary.lattice import LARGEST, MOST_DIMENSIONS, STEP

_FORMAT = 1


class Chosen(NamedTuple):
    """A candidate that was released: its number, its vector, and its text if the candidates have texts."""

    index: int  # type: ignore[assignment]
    vector: NDArray[Any]
    text: str | None


@dataclass(frozen=True, eq=False)
class Candidates(Immutable):
    """Vectors to choose from, rounded to multiples of 2^-20. They are released as they are: they must be public.

    A candidate that is there twice is chosen twice as often.

    Parameters
    ----------
    vectors : shape (count, dimension), public
    texts : what the vectors stand for, one text a vector
    """

    vectors: NDArray[Any]
    texts: Sequence[str] | None = None

    # The device of torch that was chosen by `on`, or None.
    device: ClassVar[Any] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "vectors", _snapped(self.vectors))
        if self.texts is not None:
            object.__setattr__(self, "texts", _checked_texts(self.texts, len(self.vectors)))

    def __len__(self) -> int:
        return len(self.vectors)

    def __getitem__(self, index: int) -> Chosen:
        return Chosen(int(index), self.vectors[index], None if self.texts is None else self.texts[index])

    def __repr__(self) -> str:
        return f"Candidates({len(self):,} of dimension {self.dimension}, {'with' if self.texts else 'without'} texts)"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])

    @cached_property
    def digest(self) -> str:
        """The sha256 of vectors and texts."""
        digest = hashlib.sha256(b"textveil candidates %d %d %d\n" % (_FORMAT, *self.vectors.shape))
        for start in range(0, len(self), 4096):
            digest.update(self.vectors[start : start + 4096].astype("<f8").tobytes())
        if self.texts is not None:
            packed = Packed.of([text.encode() for text in self.texts])
            digest.update(b"texts\n" + packed.offsets.astype("<i8").tobytes() + packed.data.tobytes())
        return digest.hexdigest()

    def on(self, device: Any) -> Candidates:
        """Return the same candidates, whose depth is computed on this device of torch, such as "cuda"."""
        same = object.__new__(type(self))
        vars(same).update(vars(self), device=None if device is None else checked_device(device))
        return same

    def __copy__(self) -> Candidates:
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> Candidates:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process may see other devices: it takes one of the same kind, if it sees one.
        return _restore, (self.vectors, self.texts, None if self.device is None else self.device.type)

    def save(self, path: str | Path) -> None:
        """Write the candidates to an npz file, in one piece or not at all."""
        parts: dict[str, Any] = {"vectors": self.vectors}
        if self.texts is not None:
            packed = Packed.of([text.encode() for text in self.texts])
            parts |= {"texts": packed.data, "offsets": packed.offsets}
        with replacing(Path(path)) as file:
            np.savez(file, **parts)

    @classmethod
    def load(
        cls,
        path: str | Path,
        encoder: TextEncoder | None = None,
        *,
        column: str | int | None = None,
        header: bool | None = None,
        format: str | None = None,  # noqa: A002
    ) -> Candidates:
        """Read PUBLIC candidates: saved ones, texts (txt, csv, tsv, jsonl, parquet, arrow), or vectors (npy, npz ...).

        Parameters
        ----------
        path : of the file
        encoder : gives texts their vectors, as the private ones get theirs; blank texts are left out
        column : which column, key or array holds the texts or vectors, if there are several
        header : whether the first row of a csv file names the columns
        format : of the file, if its extension does not say: "txt", "csv", "jsonl.gz" ...
        """
        return cls.of(
            CandidateFile.read(path, texts=encoder is not None, column=column, header=header, format=format), encoder
        )

    @classmethod
    def of(cls, public: CandidateFile, encoder: TextEncoder | None) -> Candidates:
        """Return the candidates of a file that was read, encoded if need be.

        Parameters
        ----------
        public : the file
        encoder : gives texts their vectors, as the private ones get theirs
        """
        vectors = public.vectors
        if vectors is None:
            if encoder is None:
                raise InvalidInputError(f"{str(public.path)!r} holds texts: give an encoder for them")
            vectors = encoded(public.texts or [], encoder)
        candidates = cls(vectors, public.texts)
        if encoder is not None and candidates.dimension != encoder.dimension:
            raise InvalidInputError(
                f"the candidates of {str(public.path)!r} have {candidates.dimension} numbers each, but the encoder "
                f"gives {encoder.dimension}; encode them by the same encoder"
            )
        return candidates


def as_candidates(public: Candidates | ArrayLike) -> Candidates:
    """Return candidates as they are; an array of public vectors becomes candidates without texts."""
    return public if isinstance(public, Candidates) else Candidates(np.asarray(public))


def _restore(vectors: NDArray[Any], texts: Sequence[str] | None, device: str | None) -> Candidates:
    return Candidates(vectors, texts).on(device_here(device))


def _checked_texts(texts: Sequence[str], count: int) -> tuple[str, ...]:
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise InvalidInputError("texts must be a list of str, one a vector")
    if len(texts) != count:
        raise InvalidInputError(f"there must be as many texts as vectors (got {len(texts):,} for {count:,})")
    try:
        "\n".join(texts).encode()
    except UnicodeEncodeError:
        raise InvalidInputError("a text holds half a surrogate pair, which UTF-8 can't write; mend it") from None
    return tuple(texts)


def _snapped(vectors: ArrayLike) -> NDArray[Any]:
    table = np.asarray(vectors)
    if table.ndim != 2 or table.dtype.kind not in "fiu" or 0 in table.shape:
        raise InvalidInputError(
            f"candidates must be numbers of shape (count, dimension), at least one (got {table.dtype} of {table.shape})"
        )
    if table.shape[1] > MOST_DIMENSIONS:
        raise InvalidInputError(f"candidates must have at most {MOST_DIMENSIONS} dimensions (got {table.shape[1]})")
    wide = table.astype(np.float64)
    usable = (np.abs(wide) < LARGEST).all(axis=1)
    if not usable.all():
        row = int(np.flatnonzero(~usable)[0])
        raise InvalidInputError(
            f"candidate {row} must be finite and below 2^32 in every coordinate; drop it or rescale all vectors"
        )
    # Adding zero turns -0.0 into 0.0, so that equal points have equal bytes.
    snapped = np.rint(wide / STEP) * STEP + 0.0
    if wide.any() and not snapped.any():
        raise InvalidInputError("every candidate is below the lattice step 2^-20: multiply all by a public constant")
    narrow = snapped.astype(np.float32)
    return read_only(narrow if (narrow == snapped).all() else snapped)
