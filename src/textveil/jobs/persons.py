"""How many records each person has, in memory bounded by the number of persons; no name is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from textveil.errors import InvalidInputError
from textveil.files import Holds, Kind, Selection, Shard, open_source
from textveil.files.arrow_columns import packed_texts
from textveil.hashing import Packed, keyed_hashes
from textveil.randomness import fresh_key

_LEAST_WAITING = 1 << 16


class Persons:
    """Counts the records of persons under a hash with a fresh secret key.

    Two persons may share a hash, with a chance below n^2 / 2^61 for n persons: they are then counted as one, and never
    too few records are seen.
    """

    def __init__(self) -> None:
        self._key = fresh_key()
        self._hashes = np.empty(0, dtype=np.uint64)
        self._counts = np.empty(0, dtype=np.int64)
        self._waiting: list[tuple[Any, Any]] = []
        self._room = 0

    def add(self, names: Packed) -> None:
        """Count one more record for each of these persons."""
        hashes, counts = np.unique(keyed_hashes(self._key, names)[:, 0], return_counts=True)
        self._waiting.append((hashes, counts))
        self._room += len(hashes)
        if self._room > max(_LEAST_WAITING, len(self._hashes)):
            self._merge()

    @property
    def counts(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """How many records each has, in no order that tells anything."""
        self._merge()
        return self._counts

    def refuse_more_than(self, most: int) -> None:
        """Raise if a person has more records."""
        counts = self.counts
        over = int((counts > most).sum())
        if over:
            raise InvalidInputError(
                f"{over:,} of {len(counts):,} persons have more than {most:,} records (one has {int(counts.max()):,}); "
                "nothing is released. Remove records, or pay for more with max_rows= (--max-rows)"
            )

    def _merge(self) -> None:
        hashes = np.concatenate([self._hashes, *(each for each, _ in self._waiting)])
        counts = np.concatenate([self._counts, *(each for _, each in self._waiting)])
        self._hashes, places = np.unique(hashes, return_inverse=True)
        self._counts = np.zeros(len(self._hashes), dtype=np.int64)
        np.add.at(self._counts, places, counts)
        self._waiting, self._room = [], 0


def person_names(shard: Shard, selection: Selection, column: str | int | None) -> Iterator[tuple[Packed, int]]:
    """Return the persons of the records of a file, and how many bytes are behind since the last.

    Parameters
    ----------
    shard : the file
    selection : how it is read
    column : which column names the person
    """
    kind = shard.format.kind
    if kind is Kind.TXT or kind.is_array:
        raise InvalidInputError(f"{kind} has no column that names persons; give csv, jsonl, parquet or Arrow")
    tabular = not kind.is_text
    chosen = selection if tabular else replace(selection, column=column, holds=Holds.TEXTS)
    source = open_source(shard.path, shard.format, chosen)
    place = Selection(column=column).find(source.columns, str(shard.path)) if tabular else None
    done = 0
    for batch in source.batches():
        names = batch.items if place is None else _texts_of(batch.rest.column(place), str(shard.path))
        if not isinstance(names, Packed) or len(names) != batch.rows:
            raise InvalidInputError(
                f"{shard.path}: a record after record {batch.start.rows} names no person; fill it in, or remove it"
            )
        yield names, batch.done - done
        done = batch.done


def _texts_of(column: Any, where: str) -> Packed:
    """Return a column of any simple type as texts."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    try:
        return packed_texts(column.cast(pa.large_string()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InvalidInputError(
            f"{where}: persons can't be told apart by a column of {column.type}; give one of texts or whole numbers"
        ) from None
