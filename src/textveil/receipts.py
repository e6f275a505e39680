"""What was released, by what, under which guarantee; never any content, nor a digest of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Generic, TypeVar

from textveil.durable import write_whole
from textveil.guarantees import Guarantee

Value = TypeVar("Value")


@cache
def library() -> str:
    """Return the name and version of this library."""
    return f"textveil {version('textveil')}"


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """The facts of one release."""

    mechanism: dict[str, Any]
    guarantee: Guarantee
    randomness: str
    private: bool
    items: int
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    library: str = field(default_factory=library)

    def as_dict(self) -> dict[str, Any]:
        """Return the receipt as plain values, with the guarantee also in English."""
        return {**asdict(self), "statement": self.statement}

    @property
    def statement(self) -> str:
        """The guarantee in English, or why there is none."""
        return str(self.guarantee) if self.private else "NOT PRIVATE: the noise came from a seed, for tests."

    def to_json(self) -> str:
        """Return the receipt as JSON text."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False)

    def save(self, path: str | Path) -> None:
        """Write the receipt to a file."""
        write_whole(Path(path), (self.to_json() + "\n").encode())

    def __str__(self) -> str:
        return f"{self.items:,} released by {self.mechanism['mechanism']} on {self.created}. {self.statement}"


@dataclass(frozen=True)
class Release(Generic[Value]):
    """A released value with its receipt."""

    value: Value
    receipt: Receipt


def digest_of(plain: Any) -> str:
    """Return the sha256 of a plain (JSON) value in canonical form."""
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
