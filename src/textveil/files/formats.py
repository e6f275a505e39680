"""Which format a file has: by its extension, or as told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from textveil.errors import InvalidInputError


class Kind(StrEnum):
    """How records lie in a file."""

    TXT = "txt"
    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    ARROW = "arrow"
    FEATHER = "feather"
    NPY = "npy"
    NPZ = "npz"

    @property
    def is_text(self) -> bool:
        """Whether the file is a text that can be read as a stream and cut at a record."""
        return self in (Kind.TXT, Kind.CSV, Kind.TSV, Kind.JSONL)

    @property
    def is_array(self) -> bool:
        """Whether the file holds bare arrays of numbers."""
        return self in (Kind.NPY, Kind.NPZ)


_EXTENSIONS = {
    ".txt": Kind.TXT,
    ".text": Kind.TXT,
    ".csv": Kind.CSV,
    ".tsv": Kind.TSV,
    ".jsonl": Kind.JSONL,
    ".ndjson": Kind.JSONL,
    ".parquet": Kind.PARQUET,
    ".pq": Kind.PARQUET,
    ".arrow": Kind.ARROW,
    ".ipc": Kind.ARROW,
    ".feather": Kind.FEATHER,
    ".npy": Kind.NPY,
    ".npz": Kind.NPZ,
}


@dataclass(frozen=True)
class Format:
    """How records lie in a file, and whether gzip is around it."""

    kind: Kind
    gzipped: bool = False

    def __post_init__(self) -> None:
        if self.gzipped and not self.kind.is_text:
            raise InvalidInputError(f"{self.kind} compresses by itself; gzip goes around txt, csv, tsv and jsonl only")

    def __str__(self) -> str:
        return f"{self.kind}.gz" if self.gzipped else str(self.kind)

    @classmethod
    def named(cls, name: str) -> Format:
        """Return the format of a name such as "csv" or "jsonl.gz"."""
        kind, _, gz = name.lower().partition(".")
        if kind not in set(Kind) or gz not in ("", "gz"):
            raise InvalidInputError(f"format must be one of {_names()}, or with .gz after a text format (got {name!r})")
        return cls(Kind(kind), bool(gz))

    @classmethod
    def of(cls, path: Path, name: str | None = None) -> Format:
        """Return the format that a file's extension says, or that of the given name."""
        found = cls.guessed(path)
        if name is not None:
            given = cls.named(name)
            if found is not None and found.kind != given.kind and not found.kind.is_text:
                raise InvalidInputError(
                    f"{path.name} is {found.kind} by its name, which can't be read as {given.kind}; leave --format "
                    "(format=) out, or rename the file"
                )
            return cls(given.kind, given.gzipped or (given.kind.is_text and path.suffix.lower() == ".gz"))
        if found is None:
            raise InvalidInputError(
                f"the extension of {path.name} names no known format ({_names()}, .gz); give --format, 'txt' say"
            )
        return found

    @classmethod
    def guessed(cls, path: Path) -> Format | None:
        """Return the format that a file's extension says, None if it says none."""
        gzipped = path.suffix.lower() == ".gz"
        kind = _EXTENSIONS.get((path.with_suffix("") if gzipped else path).suffix.lower())
        if kind is None or (gzipped and not kind.is_text):
            return None
        return cls(kind, gzipped)


def _names() -> str:
    return ", ".join(Kind)
