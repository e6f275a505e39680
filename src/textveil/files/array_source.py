"""Reading npy and npz: a table of numbers, one vector a row, in pieces. Nothing is ever unpickled."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from textveil.errors import InvalidInputError
from textveil.files.batches import BATCH_BYTES, Batch, Mask, Position
from textveil.files.formats import Kind
from textveil.files.selection import Selection, listed
from textveil.files.stored import Place
from textveil.files.vector_columns import Numbers, checked

_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_SKIP_BYTES = 1 << 20


class ArraySource:
    """A two-dimensional array of an npy file, or of one array of an npz file.

    Parameters
    ----------
    path : the file
    kind : npy or npz
    selection : which array of an npz file
    batch_bytes : about how much to read at once
    """

    head = b""
    reveals: tuple[str, ...] = ()
    kept_texts: tuple[str, ...] = ()
    gaps = False

    def __init__(self, path: Place, kind: Kind, selection: Selection, *, batch_bytes: int = BATCH_BYTES) -> None:
        self._path = path
        self._kind = kind
        self._name: str | None = None
        self.columns: tuple[str, ...] = ()
        with self._told():
            self._find(selection)
            with self._stream() as stream:
                self.rows, self.dimension, self._dtype = self._header(stream)
                self._begin = stream.tell()
        self._row_bytes = self.dimension * self._dtype.itemsize
        self._batch_rows = max(1, batch_bytes // self._row_bytes)
        size = path.stat().st_size
        if kind is Kind.NPY and size < self._begin + self.rows * self._row_bytes:
            raise self._broken()

    def batches(self, start: Position | None = None) -> Iterator[Batch]:
        """Read the vectors from a position on."""
        position = start or Position()
        with self._told(), self._stream() as stream:
            self._skip(stream, self._begin + position.rows * self._row_bytes)
            while position.rows < self.rows:
                count = min(self._batch_rows, self.rows - position.rows)
                data = stream.read(count * self._row_bytes)
                if len(data) < count * self._row_bytes:
                    raise self._broken()
                batch = self._batch(data, position, count)
                yield batch
                position = batch.position

    def present(self, batch: Batch) -> Mask:
        """Return that every record has a vector."""
        return np.ones(batch.rows, dtype=bool)

    def fill(self, batch: Batch, items: Any) -> Any:
        """Refuse: vectors are written by `ReleasedVectors`."""
        raise InvalidInputError(f"{self._path} holds vectors; a work that gives texts can't fill them")

    def _batch(self, data: bytes, start: Position, count: int) -> Batch:
        vectors = np.frombuffer(data, dtype=self._dtype).reshape(count, self.dimension)
        numbers = np.arange(start.rows + 1, start.rows + count + 1)
        native = vectors.astype(self._dtype.newbyteorder("="), copy=False)
        position = Position(rows=start.rows + count, items=start.items + count)
        done = self._path.stat().st_size * position.rows // self.rows
        items: Numbers = checked(native, str(self._path), numbers)
        return Batch(items=items, rows=count, rest=None, start=start, position=position, done=done)

    def _find(self, selection: Selection) -> None:
        """Choose the array of an npz file."""
        if self._kind is Kind.NPY:
            if selection.column is not None:
                raise InvalidInputError(
                    f"{self._path} is npy, one array without columns (got column {selection.column!r}); "
                    "leave --column out"
                )
            return
        with self._path.open("rb") as file, zipfile.ZipFile(file) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]
        if not names:
            raise InvalidInputError(f"{self._path} is a zip file without arrays; save it with numpy.savez")
        self.columns = tuple(names)
        self._name = names[selection.find(names, str(self._path))] + ".npy"

    @contextmanager
    def _stream(self) -> Iterator[IO[bytes]]:
        if self._name is None:
            with self._path.open("rb") as stream:
                yield stream
        else:
            with (
                self._path.open("rb") as file,
                zipfile.ZipFile(file) as archive,
                archive.open(self._name) as stream,
            ):
                yield stream

    def _header(self, stream: IO[bytes]) -> tuple[int, int, np.dtype[Any]]:
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise self._unfit("of a format that only structured arrays need")
        shape, by_columns, dtype = _HEADERS[version](stream)
        if dtype.hasobject:
            raise self._unfit("of Python objects, which are never unpickled")
        if dtype.kind not in "fiu" or dtype.itemsize > 8:
            raise self._unfit(f"of {dtype}")
        if len(shape) != 2 or shape[1] < 1:
            raise self._unfit(f"of shape {shape}")
        if by_columns:
            raise self._unfit("in Fortran order (by columns); numpy.ascontiguousarray turns it")
        return shape[0], shape[1], dtype

    def _skip(self, stream: IO[bytes], place: int) -> None:
        """Go to a place; what is compressed is decompressed up to there once more."""
        if self._name is None:
            stream.seek(place)
            return
        while place:
            passed = len(stream.read(min(place, _SKIP_BYTES)))
            if not passed:
                raise self._broken()
            place -= passed

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Name the file in errors; what NumPy says could quote the content."""
        try:
            yield
        except InvalidInputError:
            raise
        except (ValueError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
            raise self._broken() from None

    def _unfit(self, what: str) -> InvalidInputError:
        name = f" (arrays: {listed(self.columns)})" if self.columns else ""
        return InvalidInputError(
            f"{self._path} holds an array {what}{name}; it must be a plain table of real numbers, (records, dimension)"
        )

    def _broken(self) -> InvalidInputError:
        return InvalidInputError(f"{self._path} is not a whole {self._kind} file; write it again")
