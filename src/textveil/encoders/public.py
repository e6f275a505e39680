"""Vectors of public texts, as they are: candidates to choose among, data to learn from.

Nothing here is private, neither what is returned nor what is kept on disk. Private texts go through TextEmbedder, which
knows no cache.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from textveil.encoders.encoder import Encoder, Vectors
from textveil.errors import InvalidInputError
from textveil.hashing import Packed
from textveil.progress import progress
from textveil.text.columns import texts_in

_PORTION = 2048
# SQLite takes 999 values in a statement, at the least.
_VARIABLES = 500


def public_vectors(encoder: Encoder, texts: Iterable[str], *, cache: str | Path | None = None) -> Vectors:
    """Return the vector of each PUBLIC text; with a progress bar, on terminals.

    Parameters
    ----------
    encoder : such as MiniLM
    texts : public
    cache : a folder where vectors are kept for the next time, by the sha256 of their text. It would tell whether a
        text was there, so never give one for private texts
    """
    if isinstance(texts, str):
        raise InvalidInputError("texts must be a list of public texts, not one str")
    asked = [text.encode("utf-8", errors="surrogatepass") for text in texts_in(texts)]
    vectors = np.empty((len(asked), encoder.dimension))
    with _made_by(encoder, cache) as made, progress("Encoding", len(asked)) as step:
        for start in range(0, len(asked), _PORTION):
            portion = asked[start : start + _PORTION]
            vectors[start : start + len(portion)] = made(portion)
            step(len(portion))
    return vectors


@contextmanager
def _made_by(encoder: Encoder, folder: str | Path | None) -> Iterator[Callable[[list[bytes]], Vectors]]:
    """Give a function from texts to vectors, which keeps them if there is a folder."""
    if folder is None:
        yield lambda texts: encoder.encode(Packed.of(texts))
        return
    Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    path = Path(folder) / f"{encoder.digest[:32]}.sqlite"
    path.touch(mode=0o600)
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        yield lambda texts: _kept(encoder, database, texts)


def _kept(encoder: Encoder, database: sqlite3.Connection, texts: list[bytes]) -> Vectors:
    """Return vectors; those that were not kept are made, and kept."""
    names = [hashlib.sha256(text).digest() for text in texts]
    found = {name: np.frombuffer(vector) for name, vector in _found(database, names)}
    missing = {name: text for name, text in zip(names, texts, strict=True) if name not in found}
    made = dict(zip(missing, encoder.encode(Packed.of(list(missing.values()))), strict=True))
    with database:
        rows = [(name, vector.tobytes()) for name, vector in made.items()]
        database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
    found |= made
    return np.array([found[name] for name in names])


def _found(database: sqlite3.Connection, names: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    for start in range(0, len(names), _VARIABLES):
        part = names[start : start + _VARIABLES]
        marks = ",".join("?" * len(part))
        yield from database.execute(f"SELECT text, vector FROM vectors WHERE text IN ({marks})", part)  # noqa: S608
