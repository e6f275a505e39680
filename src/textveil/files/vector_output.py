"""Released vectors beside the other columns of their records: what is written in place of what was read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.files.arrow_columns import texts_among
from textveil.files.arrow_source import TableSource
from textveil.files.batches import Batch, Mask, Position, Source
from textveil.files.formats import Kind
from textveil.files.other_columns import NoOthers, names_of_others, others_of
from textveil.files.selection import Holds, listed
from textveil.files.vector_columns import Numbers, vector_column, vector_field

DTYPES = ("float16", "float32", "float64")
NEW_COLUMN = "embedding"


@dataclass(frozen=True, kw_only=True)
class VectorOutput:
    """How released vectors are written.

    Parameters
    ----------
    dtype : "float32", "float64" or "float16"; a number that it can't hold becomes the largest that it can
    packed : in parquet as fixed-length bytes, which are several times faster to read, but bytes to other programs
    only : leave all other columns out
    """

    dtype: str = "float32"
    packed: bool = False
    only: bool = False

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise InvalidInputError(f"dtype must be one of {', '.join(DTYPES)} (got {self.dtype!r})")

    @property
    def numbers(self) -> np.dtype[Any]:
        """The numbers as they lie in a file."""
        return np.dtype(self.dtype).newbyteorder("<")


class Beside(StrEnum):
    """What a column holds that is released beside the vectors."""

    NUMBER = "number"
    NUMBERS = "numbers"
    TEXT = "text"
    TEXTS = "texts"


_KINDS = {
    Beside.NUMBER: pa.int32(),
    Beside.NUMBERS: pa.list_(pa.int32()),
    Beside.TEXT: pa.string(),
    Beside.TEXTS: pa.list_(pa.string()),
}


@dataclass(frozen=True)
class Answered:
    """Released vectors, one a row, and what is released beside them, one value a row."""

    vectors: NDArray[np.float64]
    beside: Mapping[str, Sequence[Any]]

    def __len__(self) -> int:
        return len(self.vectors)


class ReleasedVectors:
    """A source whose records are given back with vectors; `schema` is that of the release.

    Parameters
    ----------
    source : where the records come from
    kind : parquet, arrow, feather or npy
    dimension : of the released vectors
    output : how they are written
    describe : gives what the file says of itself, from what it passes through
    beside : columns that are released after that of the vectors; npy has no room for them
    """

    head = b""

    def __init__(
        self,
        source: Source,
        kind: Kind,
        *,
        dimension: int,
        output: VectorOutput,
        describe: Callable[[tuple[str, ...]], dict[str, str]],
        beside: Mapping[str, Beside] | None = None,
    ) -> None:
        if output.packed and kind is not Kind.PARQUET:
            raise InvalidInputError(f"packed vectors are for parquet, but {kind} is written; leave --packed out")
        self._source = source
        self._kind = kind
        self.output = output
        self.released = dimension
        self._others = NoOthers() if kind is Kind.NPY or output.only else others_of(source)
        self._name = _name(source)
        self._beside = dict(beside or {})
        kept = self._others.schema
        for name in (self._name, *self._beside):
            if name in kept.names:
                raise InvalidInputError(
                    f"there is another column {name!r}, as one that is released is to be called; rename it, or leave "
                    "all others out with --vectors-only"
                )
        fields = [vector_field(self._name, dimension, output.numbers, packed=output.packed)]
        fields += [pa.field(name, _KINDS[kind]) for name, kind in self._beside.items()]
        place, released = self._others.place, [field.with_nullable(source.gaps) for field in fields]
        schema = pa.schema([*list(kept)[:place], *released, *list(kept)[place:]])
        self.schema: pa.Schema = schema.with_metadata(describe(self.reveals))

    @property
    def column(self) -> str | None:
        """The column that holds the vectors, where the format has columns."""
        return None if self._kind is Kind.NPY else self._name

    @property
    def left_out(self) -> tuple[str, ...]:
        """The other columns that npy has no room for, unless none were asked for."""
        if self._kind is not Kind.NPY or self.output.only:
            return ()
        return (*names_of_others(self._source), *self._beside)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the input."""
        return self._source.columns

    @property
    def rows(self) -> int | None:
        """The number of records, where the file says so."""
        return self._source.rows

    @property
    def dimension(self) -> int | None:
        """That of the vectors that are read."""
        return self._source.dimension

    @property
    def gaps(self) -> bool:
        """Whether a record may have no vector."""
        return self._source.gaps and self._kind is not Kind.NPY

    @property
    def reveals(self) -> tuple[str, ...]:
        """Name the columns that stay."""
        kept = self._others.schema.names
        return tuple(
            (["which records are missing (null)"] if self.gaps else [])
            + ([f"columns unchanged: {listed(kept)}"] if kept else [])
        )

    @property
    def kept_texts(self) -> tuple[str, ...]:
        """The columns that hold text and pass through unchanged."""
        return texts_among(self._others.schema)

    def batches(self, start: Position | None = None) -> Iterator[Batch]:
        """Read the records from a position on."""
        return self._source.batches(start)

    def present(self, batch: Batch) -> Mask:
        """Return which records have an item."""
        return self._source.present(batch)

    def fill(self, batch: Batch, released: NDArray[np.float64] | Answered) -> Any:
        """Return the records of a batch with vectors: a record batch, or the bytes of the rows for npy."""
        vectors = released.vectors if isinstance(released, Answered) else released
        numbers, present = rounded(vectors, self.output.numbers), self.present(batch)
        if self._kind is Kind.NPY:
            if not present.all():
                number = batch.start.rows + 1 + int(np.flatnonzero(~present)[0])
                raise InvalidInputError(
                    f"record {number} is null, which npy can't hold; write parquet or arrow, or remove such records"
                )
            return numbers.reshape(-1).view(np.uint8)
        new = [vector_column(numbers, present, self.schema.field(self._name).type)]
        if isinstance(released, Answered):
            new += [_column(released.beside[name], present, _KINDS[kind]) for name, kind in self._beside.items()]
        columns, place = self._others.take(batch), self._others.place
        return pa.RecordBatch.from_arrays([*columns[:place], *new, *columns[place:]], schema=self.schema)


def _column(values: Sequence[Any], present: Mask, kind: pa.DataType) -> pa.Array:
    """Return a column that holds the values where `present` says so, and null elsewhere."""
    following = iter(values)
    return pa.array([next(following) if there else None for there in present], type=kind)


def _name(source: Source) -> str:
    """Vectors keep the name of their column; texts are not what their column then holds."""
    if isinstance(source, TableSource) and source.holds is Holds.VECTORS:
        return source.columns[source.place]
    return NEW_COLUMN


def rounded(vectors: NDArray[np.float64], dtype: np.dtype[Any]) -> Numbers:
    """Return vectors in the numbers of a file, in rows one after the other."""
    largest = np.finfo(dtype).max
    if dtype.itemsize < 8:
        vectors = np.clip(vectors, -float(largest), float(largest))
    return np.ascontiguousarray(vectors, dtype=dtype)
