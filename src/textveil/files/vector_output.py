"""Released vectors beside the other columns of their records: what is written in place of what was read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
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


class ReleasedVectors:
    """A source whose records are given back with vectors; `schema` is that of the release.

    Parameters
    ----------
    source : where the records come from
    kind : parquet, arrow, feather or npy
    dimension : of the released vectors
    output : how they are written
    describe : gives what the file says of itself, from what it passes through
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
    ) -> None:
        if output.packed and kind is not Kind.PARQUET:
            raise InvalidInputError(f"packed vectors are for parquet, but {kind} is written; leave --packed out")
        self._source = source
        self._kind = kind
        self.output = output
        self.released = dimension
        self._others = NoOthers() if kind is Kind.NPY or output.only else others_of(source)
        self._name = _name(source)
        kept = self._others.schema
        if self._name in kept.names:
            raise InvalidInputError(
                f"there is another column {self._name!r}, which the vectors are to be called; rename it, or leave "
                "all others out with --vectors-only"
            )
        field = vector_field(self._name, dimension, output.numbers, packed=output.packed)
        field = field.with_nullable(source.gaps)
        self.schema: pa.Schema = kept.insert(self._others.place, field).with_metadata(describe(self.reveals))

    @property
    def column(self) -> str | None:
        """The column that holds the vectors, where the format has columns."""
        return None if self._kind is Kind.NPY else self._name

    @property
    def left_out(self) -> tuple[str, ...]:
        """The other columns that npy has no room for, unless none were asked for."""
        return names_of_others(self._source) if self._kind is Kind.NPY and not self.output.only else ()

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

    def fill(self, batch: Batch, vectors: NDArray[np.float64]) -> Any:
        """Return the records of a batch with vectors: a record batch, or the bytes of the rows for npy."""
        numbers, present = rounded(vectors, self.output.numbers), self.present(batch)
        if self._kind is Kind.NPY:
            if not present.all():
                number = batch.start.rows + 1 + int(np.flatnonzero(~present)[0])
                raise InvalidInputError(
                    f"record {number} is null, which npy can't hold; write parquet or arrow, or remove such records"
                )
            return numbers.reshape(-1).view(np.uint8)
        columns = self._others.take(batch)
        columns.insert(self._others.place, vector_column(numbers, present, self.schema.field(self._name).type))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)


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
