"""Public candidates in files: saved ones, texts that an encoder gives vectors (txt, csv, jsonl ...), or vectors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.files import Format, Holds, Kind, Selection, open_source
from textveil.hashing import Packed
from textveil.progress import progress

_PORTION = 2048


class TextEncoder(Protocol):
    """Gives each public text a vector."""

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        ...

    def encode(self, texts: Packed) -> NDArray[np.float64]:
        """Return one vector a text."""
        ...


@dataclass(frozen=True, eq=False)
class CandidateFile:
    """What a file of candidates holds: vectors, texts, or both. Nothing is encoded yet.

    Parameters
    ----------
    path : of the file
    vectors : one a row, None if only texts are there
    texts : None if only vectors are there
    """

    path: Path
    vectors: NDArray[Any] | None
    texts: list[str] | None

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        texts: bool,
        column: str | int | None = None,
        header: bool | None = None,
        format: str | None = None,  # noqa: A002
    ) -> CandidateFile:
        """Read a file, as `Candidates.load` does; `texts` says whether columns of texts are looked for, or vectors."""
        file = Path(path)
        if not file.is_file():
            raise InvalidInputError(f"there is no file {str(path)!r}; Candidates(...).save(path) writes one")
        form = (Format.guessed(file) if format is None else Format.of(file, format)) or Format(Kind.NPZ)
        saved = read_saved(file, form)
        if saved is not None:
            return cls(file, *saved)
        if texts and not form.kind.is_array:
            return cls(file, None, read_texts(file, form, column, header))
        return cls(file, read_vectors(file, form, column), None)


def read_saved(path: Path, form: Format) -> tuple[NDArray[Any], list[str] | None] | None:
    """Return the vectors and texts of a file that `Candidates.save` wrote, None for any other file."""
    if form.kind is not Kind.NPZ:
        return None
    try:
        with np.load(path, allow_pickle=False) as parts:
            if set(parts) not in ({"vectors"}, {"vectors", "texts", "offsets"}):
                return None
            texts = _unpacked(parts["texts"], parts["offsets"]) if "texts" in parts else None
            return parts["vectors"], texts
    except (BadZipFile, TypeError, ValueError, EOFError, OSError, AttributeError):
        raise InvalidInputError(
            f"{str(path)!r} holds no candidates: it is not a whole npz file of arrays; give format= if it is another"
        ) from None


def read_texts(path: Path, form: Format, column: str | int | None, header: bool | None) -> list[str]:
    """Return the texts of a file, but blank ones, which stand for nothing."""
    texts: list[str] = []
    for batch in open_source(path, form, Selection(column=column, header=header)).batches():
        items: Any = batch.items
        try:
            texts += [text for text in _unpacked(items.data, items.offsets) if text.strip()]
        except UnicodeDecodeError:
            last = batch.position.rows
            raise InvalidInputError(
                f"{str(path)!r}: one of the records {batch.start.rows + 1} to {last} is not UTF-8; convert the file"
            ) from None
    if not texts:
        raise InvalidInputError(f"{str(path)!r} holds no text; there must be one candidate at least")
    return texts


def read_vectors(path: Path, form: Format, column: str | int | None) -> NDArray[Any]:
    """Return the vectors of a file."""
    if form.kind.is_text:
        raise InvalidInputError(f"{str(path)!r} holds texts: give an encoder for them, encoder=tv.MiniLM() say")
    source = open_source(path, form, Selection(column=column, holds=Holds.VECTORS))
    rows: list[Any] = [batch.items for batch in source.batches()]
    return np.concatenate(rows) if rows else np.empty((0, source.dimension or 0))


def encoded(texts: list[str], encoder: TextEncoder) -> NDArray[np.float64]:
    """Return the vectors of public texts, with a progress bar."""
    vectors = np.empty((len(texts), encoder.dimension))
    with progress("Encoding candidates", len(texts)) as step:
        for start in range(0, len(texts), _PORTION):
            portion = [text.encode("utf-8", errors="surrogatepass") for text in texts[start : start + _PORTION]]
            vectors[start : start + len(portion)] = encoder.encode(Packed.of(portion))
            step(len(portion))
    return vectors


def _unpacked(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> list[str]:
    whole = data.tobytes()
    return [whole[start:end].decode() for start, end in pairwise(offsets.tolist())]
