"""Files in an object store, or in any other place that pyarrow knows by a URL: s3://, gs://, abfs://, hdfs://, file://.

A `StoredPath` is used as a path is: it has a name, can be opened, and tells its size. A store has no folders, no
locks and no renaming; an object appears whole when it is closed.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeAlias

from textveil.durable import delete_unfinished, replacing
from textveil.errors import InvalidInputError

_URL = re.compile(r"[a-z][a-z0-9+.-]+://")
_COPIED_BYTES = 8 << 20


class Facts(NamedTuple):
    """What a store says of a file, by the names that the operating system has for it."""

    st_size: int
    st_mtime_ns: int


@dataclass(frozen=True)
class StoredPath:
    """A file, or all files that begin alike.

    Parameters
    ----------
    url : of the file or folder that was given
    within : the path from there, "" for itself
    ending : what is written after the name, of a file beside
    """

    url: str
    within: str = ""
    ending: str = ""

    def __post_init__(self) -> None:
        user, _, _ = self.url.partition("://")[2].partition("/")[0].rpartition("@")
        # A user alone is none: abfss:// has the container there.
        if ":" in user:
            raise InvalidInputError(
                "a URL with a password would be written into journals; give the password by the environment "
                "(AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY say)"
            )

    def __str__(self) -> str:
        base = self.url.partition("?")[0].rstrip("/")
        return (f"{base}/{self.within}" if self.within else base) + self.ending

    def __truediv__(self, name: str) -> StoredPath:
        return StoredPath(self.url, f"{self.within}/{name}" if self.within else name)

    @property
    def query(self) -> str:
        """What the URL says after its path: another endpoint, say."""
        return self.url.partition("?")[2]

    @property
    def local(self) -> Path | None:
        """Where it is on this machine, None if in a store."""
        return Path(self._place[1]) if self.url.startswith("file:") else None

    @property
    def name(self) -> str:
        """The last part."""
        return PurePosixPath(str(self)).name

    def beside(self, ending: str) -> StoredPath:
        """Return the file whose name has an ending more."""
        return StoredPath(self.url, self.within, ending)

    def open(self, mode: str = "rb") -> Any:
        """Open the file for reading; `mode` is there since paths have one."""
        system, path = self._place
        with _answering(str(self)):
            return system.open_input_file(path)

    def stat(self) -> Facts:
        """Return the size and the time of the file."""
        info = self._info()
        return Facts(info.size or 0, info.mtime_ns or 0)

    def exists(self) -> bool:
        """Whether there is such a file, or any that begins alike."""
        return bool(self._info().type)

    def is_dir(self) -> bool:
        """Whether it is a folder, or stands for one."""
        from pyarrow.fs import FileType

        return bool(self._info().type == FileType.Directory)

    def files(self) -> list[str]:
        """Return the paths from here of all files, in order."""
        from pyarrow.fs import FileSelector

        system, path = self._place
        with _answering(str(self)):
            found = system.get_file_info(FileSelector(path, recursive=True))
        return sorted(info.path[len(path) :].lstrip("/") for info in found if info.is_file)

    def put(self, file: Path) -> None:
        """Write a local file here."""
        with file.open("rb") as source:
            self._write(iter(lambda: source.read(_COPIED_BYTES), b""))

    def put_bytes(self, content: bytes) -> None:
        """Write a file of some bytes here."""
        self._write([content])

    def tidy(self) -> None:
        """Delete what killed workers left half written here; a store shows no half files."""
        if self.local is not None:
            delete_unfinished(self.local)

    def _write(self, parts: Any) -> None:
        system, path = self._place
        if system.type_name == "local":
            # On a disk a file that is being written could be taken for a whole one.
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with replacing(Path(path)) as file:
                file.writelines(parts)
            return
        # By itself pyarrow would compress what is called .gz, once more.
        with _answering(str(self)), system.open_output_stream(path, compression=None) as target:
            for part in parts:
                target.write(part)

    def _info(self) -> Any:
        system, path = self._place
        with _answering(str(self)):
            return system.get_file_info(path)

    @property
    def _place(self) -> tuple[Any, str]:
        system, path = _system(self.url)
        path = path.rstrip("/")
        return system, (f"{path}/{self.within}" if self.within else path) + self.ending


Place: TypeAlias = Path | StoredPath


def place_of(given: str | os.PathLike[str]) -> Place:
    """Return the place that a path or a URL names."""
    text = os.fspath(given)
    return StoredPath(text) if _URL.match(text) else Path(text)


def arrow_file(place: Place) -> Any:
    """Open a file as pyarrow reads it best."""
    import pyarrow as pa

    return pa.OSFile(str(place)) if isinstance(place, Path) else place.open()


@contextmanager
def _answering(name: str) -> Iterator[None]:
    """Say which store does not answer: what pyarrow says has neither a number nor the name."""
    try:
        yield
    except OSError as error:
        number = error.errno or errno.EIO
        what = f"the store does not answer, or refuses ({os.strerror(number)}); check the name, region and credentials"
        raise OSError(number, what, name) from None


@lru_cache(maxsize=16)
def _system(url: str) -> tuple[Any, str]:
    import pyarrow as pa
    from pyarrow.fs import FileSystem

    try:
        with _answering(url.partition("?")[0]):
            found: tuple[Any, str] = FileSystem.from_uri(url)
    except (pa.ArrowException, ValueError, ImportError) as error:
        raise InvalidInputError(f"pyarrow can't open {url.partition('?')[0]} ({type(error).__name__})") from None
    return found
