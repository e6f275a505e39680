"""Reading a vocabulary from the files in which word vectors are published."""

from __future__ import annotations

import os
import pickle
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textveil.errors import InvalidInputError, MissingDependencyError, require_count
from textveil.vocabulary.arrays import is_array_file, read_npy, read_npz, read_saved
from textveil.vocabulary.binary_table import read_binary
from textveil.vocabulary.lattice import LatticeTable, step_of
from textveil.vocabulary.reading import LONGEST_LINE, head, reading
from textveil.vocabulary.text_table import dimension_of, header, read_text, trailing_numbers

if TYPE_CHECKING:
    from textveil.spaces import Space
    from textveil.vocabulary.vocabulary import Vocabulary

FORMATS = ("glove", "word2vec", "word2vec-binary", "npz", "npy", "gensim")

_SAMPLE = 1 << 16
_GENSIM_NAMES = (".kv", ".model")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")


def load(
    path: str | os.PathLike[str],
    *,
    limit: int | None = None,
    unknown: str | None = None,
    format: str | None = None,  # noqa: A002 -- the name users guess
    duplicates: str = "refuse",
    space: Space | None = None,
) -> Vocabulary:
    """Read a public table of word vectors.

    Parameters
    ----------
    path
        GloVe text, word2vec text or binary (each also compressed by gzip, bzip2 or xz), .npz with the arrays
        `words` and `vectors`, .npz or .npy with the words in a file beside it, a file of `Vocabulary.save`,
        or a gensim .kv or .model file. The last is a pickle: load it only if you trust it.
    limit
        Read only this many words, the first ones: tables are in order of frequency.
    unknown
        The word of the table as which words outside it enter; see `Vocabulary`.
    format
        One of `FORMATS`; found from the content if left out.
    duplicates
        "refuse" a word that occurs twice, or keep its "first" vector.
    space
        Where the points live; Euclidean by default.
    """
    from textveil.vocabulary.vocabulary import Vocabulary

    file = Path(path)
    if limit is not None:
        require_count("limit", limit, least=2)
    if duplicates not in ("refuse", "first"):
        raise InvalidInputError(f"duplicates must be 'refuse' or 'first' (got {duplicates!r})")
    if format is not None and format not in FORMATS:
        raise InvalidInputError(f"format must be one of {', '.join(FORMATS)} (got {format!r})")
    kind = format or _detect(file)
    try:
        if kind == "gensim":
            return from_gensim(_unpickled(file), limit=limit, unknown=unknown, space=space)
        if kind == "npz" and (saved := read_saved(file, space=space)) is not None:
            kept = saved if limit is None else saved.subset(limit)
            return kept if unknown is None else Vocabulary(kept.words, kept.points, unknown, space=kept.space)
        words, table = _read(file, kind, limit=limit, first_only=duplicates == "first", step=step_of(space))
        return Vocabulary.from_table(words, table, unknown, space=space)
    except InvalidInputError as error:
        if str(error).startswith(str(file)):
            raise
        raise InvalidInputError(f"{file}: {error}") from None


def from_gensim(
    vectors: Any, *, limit: int | None = None, unknown: str | None = None, space: Space | None = None
) -> Vocabulary:
    """Take the words and vectors of a gensim KeyedVectors, or of a model that has one as `.wv`."""
    from textveil.vocabulary.vocabulary import Vocabulary

    keyed = getattr(vectors, "wv", vectors)
    try:
        words, table = keyed.index_to_key, keyed.vectors
    except AttributeError:
        raise InvalidInputError(
            f"expected a gensim KeyedVectors or a model with one as .wv (got {type(vectors).__name__})"
        ) from None
    return Vocabulary(words[:limit], table[:limit], unknown, space=space)


def _read(file: Path, kind: str, *, limit: int | None, first_only: bool, step: float) -> tuple[list[str], LatticeTable]:
    if kind == "npz":
        return read_npz(file, limit=limit, first_only=first_only, step=step)
    if kind == "npy":
        return read_npy(file, limit=limit, first_only=first_only, step=step)
    if kind == "word2vec-binary":
        with reading(file) as reader:
            return read_binary(reader, limit=limit, first_only=first_only, step=step)
    sample = _sample_lines(file)
    promised = None
    dimension = dimension_of(sample)
    if kind == "word2vec":
        promise = header(sample[0]) if sample else None
        if promise is None:
            raise InvalidInputError(f"{file}, line 1: a word2vec file starts with its count and dimension")
        promised, dimension = promise
    with reading(file) as reader:
        return read_text(reader, dimension, promised=promised, limit=limit, first_only=first_only, step=step)


def _detect(file: Path) -> str:
    """Find the format from the content."""
    array_kind = is_array_file(file)
    if array_kind is not None:
        return array_kind
    start = head(file, _SAMPLE)
    if not start.strip():
        raise InvalidInputError(f"{file}: is empty; give a table of word vectors")
    if start[:1] == b"\x80":
        if file.suffix in _GENSIM_NAMES:
            return "gensim"
        raise InvalidInputError(
            f"{file}: is a Python pickle, which can run any code as it loads; if it is a gensim file "
            "that you trust, pass format='gensim'"
        )
    first, _, rest = start.partition(b"\n")
    promise = header(first)
    if promise is None:
        return "glove"
    numbers = trailing_numbers(rest.partition(b"\n")[0])
    return "word2vec" if numbers == promise[1] or _is_text(rest) else "word2vec-binary"


def _is_text(sample: bytes) -> bool:
    try:
        text = sample.decode()
    except UnicodeDecodeError as error:
        if error.end < len(sample) or len(sample) < _SAMPLE // 2:
            return False
        text = sample[: error.start].decode()
    return _CONTROL.search(text) is None


def _sample_lines(file: Path) -> list[bytes]:
    """Return the first lines, whole ones only where there is more than one."""
    start = head(file, _SAMPLE)
    lines = start.splitlines()
    if len(start) == _SAMPLE and len(lines) > 2:
        return lines[:-1]
    return head(file, LONGEST_LINE).splitlines()[:3]


def _unpickled(file: Path) -> Any:
    try:
        from gensim.models import KeyedVectors
    except ImportError:
        raise MissingDependencyError(
            f"{file}: gensim is needed to read its files; run: pip install textveil[gensim]"
        ) from None
    try:
        return KeyedVectors.load(str(file))
    except (pickle.UnpicklingError, EOFError, OSError, AttributeError, ImportError, ValueError) as error:
        raise InvalidInputError(f"{file}: gensim can't read it ({type(error).__name__}); save it again") from None
