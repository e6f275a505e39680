"""NumPy files: a vocabulary saved by textveil, or vectors with their words inside or in a file beside them.

Nothing is ever unpickled.
"""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import CertificateError, InvalidInputError
from textveil.spaces import Euclidean, Poincare, Space
from textveil.spaces.poincare import MOST_DIMENSIONS
from textveil.vocabulary.lattice import LatticeTable
from textveil.vocabulary.reading import head, reading
from textveil.vocabulary.rows import RowError, Rows

if TYPE_CHECKING:
    from textveil.vocabulary.vocabulary import Vocabulary

_VERSION = "textveil vocabulary 1"
_COMPRESSED = ("", ".gz", ".xz", ".bz2")


def save(vocabulary: Vocabulary, path: str | os.PathLike[str]) -> None:
    """Write a vocabulary to an .npz file beside its final place, then move it there."""
    target = Path(path)
    content = {
        "version": np.array(_VERSION),
        "words": np.frombuffer(json.dumps(vocabulary.words).encode(), dtype=np.uint8),
        "vectors": vocabulary.points,
        "unknown": np.array(vocabulary.unknown_id),
        "metric": np.array(vocabulary.space.metric),
        "digest": np.array(vocabulary.digest),
    }
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, allow_pickle=False, **content)
        Path(partial).chmod(0o644)
        Path(partial).replace(target)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def read_saved(path: Path, *, space: Space | None) -> Vocabulary | None:
    """Return the vocabulary if textveil saved this file, checked against its digest."""
    from textveil.vocabulary.vocabulary import Vocabulary

    content = _opened(path)
    if str(content.get("version")) != _VERSION:
        return None
    try:
        words = json.loads(content["words"].tobytes())
        unknown, vectors = int(content["unknown"]), content["vectors"]
        metric, digest = str(content["metric"]), str(content["digest"])
        place = _space_of(metric, vectors.shape[1]) if space is None else space
        if metric != place.metric:
            raise InvalidInputError(f"{path}: its points live under {metric}; pass that space as space=")
        vocabulary = Vocabulary(words, vectors, words[unknown], space=place)
    except (KeyError, TypeError, IndexError, json.JSONDecodeError) as error:
        raise InvalidInputError(f"{path}: a part of the vocabulary is missing ({error}); save it again") from None
    if vocabulary.digest != digest:
        raise CertificateError(f"{path}: the vocabulary is not the one that was saved; save it again")
    return vocabulary


def _space_of(metric: str, dimension: int) -> Space:
    """Return the space of this name, Euclidean if it is none of ours."""
    known: tuple[Space, ...] = (Poincare(dimension),) if dimension <= MOST_DIMENSIONS else ()
    return next((space for space in known if space.metric == metric), Euclidean(dimension))


def read_npz(path: Path, *, limit: int | None, first_only: bool, step: float) -> tuple[list[str], LatticeTable]:
    """Read the arrays `vectors` and `words`; words may stand in a file beside it instead."""
    content = _opened(path)
    if "vectors" not in content:
        raise InvalidInputError(f"{path}: has no array named 'vectors' (has {sorted(content)}); rename one")
    words = content.get("words")
    names = _beside(path) if words is None else _encoded(path, words)
    return _joined(path, names, content["vectors"], limit=limit, first_only=first_only, step=step)


def read_npy(path: Path, *, limit: int | None, first_only: bool, step: float) -> tuple[list[str], LatticeTable]:
    """Read one array whose words stand in a file beside it."""
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, MemoryError, OSError) as error:
        raise InvalidInputError(f"{path}: not a plain array of numbers ({error}); save it again") from None
    return _joined(path, _beside(path), vectors, limit=limit, first_only=first_only, step=step)


def _opened(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(file)
    except (ValueError, EOFError, KeyError, MemoryError, OSError, zipfile.BadZipFile) as error:
        raise InvalidInputError(f"{path}: not a file of plain arrays ({error}); save it again") from None


def _joined(
    path: Path, words: list[bytes], vectors: NDArray[Any], *, limit: int | None, first_only: bool, step: float
) -> tuple[list[str], LatticeTable]:
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        raise InvalidInputError(
            f"{path}: vectors must be a table of real numbers (got {vectors.dtype} of shape {vectors.shape})"
        )
    if len(words) != len(vectors):
        raise InvalidInputError(f"{path}: has {len(vectors)} vectors but {len(words)} words; they must agree")
    rows = Rows(vectors.shape[1], limit=limit, first_only=first_only, kind=np.float64, step=step)
    for position, word in enumerate(words):
        if rows.full:
            break
        try:
            rows.add(word, vectors[position].astype(np.float64).tobytes())
        except RowError as error:
            raise InvalidInputError(f"{path}, row {position}: {error}") from None
    return rows.finish()


def _encoded(path: Path, words: NDArray[Any]) -> list[bytes]:
    if words.ndim != 1 or words.dtype.kind not in "US":
        raise InvalidInputError(f"{path}: words must be a list of strings (got {words.dtype} of shape {words.shape})")
    return [word if isinstance(word, bytes) else word.encode() for word in words.tolist()]


def _beside(path: Path) -> list[bytes]:
    """Read the words from a file beside the vectors: one word a line, in the order of the rows."""
    stem = path.name.removesuffix(path.suffix)
    names = [f"{stem}.words.txt", f"{stem}.txt", f"{Path(stem).stem}.words.txt", "words.txt"]
    for name in names:
        for ending in _COMPRESSED:
            candidate = path.with_name(name + ending)
            if candidate.is_file():
                with reading(candidate) as reader:
                    return [line for _, line in reader.lines()]
    raise InvalidInputError(
        f"{path}: no words found beside it; put one word a line into {path.with_name(names[0])} "
        f"(or into one of {', '.join(names[1:])}; .gz allowed)"
    )


def is_array_file(path: Path) -> str | None:
    """Return "npz" or "npy" if the content is one."""
    start = head(path, 8)
    if start.startswith(b"\x93NUMPY"):
        return "npy"
    if not start.startswith(b"PK"):
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            inside = archive.namelist()
    except zipfile.BadZipFile:
        raise InvalidInputError(f"{path}: the zip file is damaged or cut short; fetch it again") from None
    if not any(name.endswith(".npy") for name in inside):
        raise InvalidInputError(f"{path}: a zip file of {inside[:3]}; unzip it and load the table inside")
    return "npz"
