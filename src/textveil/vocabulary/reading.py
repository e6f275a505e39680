"""Reading a public file once: decompressed, line by line, with a progress bar if it takes long."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, cast

from textveil.errors import InvalidInputError
from textveil.progress import on_terminal

if TYPE_CHECKING:
    from rich.progress import Progress

# No line of a table with the most dimensions is longer; a longer one is not read into memory.
LONGEST_LINE = 1 << 22
_BUFFER = 1 << 18
_PATIENCE = 2.0
_OPENERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}


class Reader:
    """The content of one file, and where in it an error was found."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self._file = file
        self._size = path.stat().st_size
        self.stream = _decompressed(file)
        self._started = time.monotonic()
        self._progress: Progress | None = None

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the content of each line, its end stripped."""
        number = 0
        while line := self.stream.readline(LONGEST_LINE):
            number += 1
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if len(line) == LONGEST_LINE:
                self.refuse(f"longer than {LONGEST_LINE} bytes; is this a table of word vectors?", number)
            yield number, line.rstrip(b" \t\r\n")

    def refuse(self, problem: str, line: int | None = None) -> NoReturn:
        """Raise an error that names the file, and the line if there is one."""
        place = f"{self.path}, line {line}" if line else str(self.path)
        raise InvalidInputError(f"{place}: {problem}")

    def tick(self) -> None:
        """Show how far the file is read, once it takes longer than two seconds on a terminal."""
        if self._progress is None:
            if time.monotonic() - self._started < _PATIENCE or not on_terminal():
                return
            from rich.console import Console
            from rich.progress import Progress

            self._progress = Progress(console=Console(stderr=True), transient=True)
            self._progress.add_task(f"reading {self.path.name}", total=self._size)
            self._progress.start()
        self._progress.update(self._progress.task_ids[0], completed=self._file.tell())

    def close(self) -> None:
        """Take the progress bar away."""
        if self._progress is not None:
            self._progress.stop()


@contextmanager
def reading(path: Path) -> Iterator[Reader]:
    """Open a file, plain or compressed by gzip, bzip2 or xz, whatever its name."""
    try:
        with path.open("rb") as file:
            reader = Reader(path, file)
            try:
                yield reader
            finally:
                reader.close()
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile):
        raise InvalidInputError(f"{path}: the compressed file is damaged or cut short; fetch it again") from None
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror or error}; give the path of a readable file") from None


def head(path: Path, count: int) -> bytes:
    """Return the first `count` bytes of a file after decompression."""
    with reading(path) as reader:
        return reader.stream.read(count)


def _decompressed(file: IO[bytes]) -> io.BufferedReader:
    start = file.read(6)
    file.seek(0)
    for magic, opener in _OPENERS.items():
        if start.startswith(magic):
            return io.BufferedReader(opener(file), _BUFFER)
    return io.BufferedReader(cast(io.RawIOBase, file), _BUFFER)
