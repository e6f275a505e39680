"""Finished parts of a comparison, kept in the cache, so that one that was interrupted goes on where it was."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from textveil.cache import cache_folder
from textveil.durable import write_whole
from textveil.measure.compare.frontier import Point, from_json, to_json
from textveil.randomness import RandomSource
from textveil.receipts import digest_of

# Raised when what is measured changes.
_FORMAT = 3
# Left as it is: the noise follows from it, and with it the numbers that are printed.
_NOISE = 2


@dataclass(frozen=True)
class Cells:
    """What all parts of a comparison have in common: the data and sizes by a digest, and the seed.

    Parameters
    ----------
    subject : plain values that say what is compared
    seed : a public number: all that is drawn at random follows from it and from the subject
    again : measure anew what is kept already
    """

    subject: dict[str, Any]
    seed: int = 0
    again: bool = False

    def points(self, part: dict[str, Any], measure: Callable[[RandomSource], list[Point]]) -> list[Point]:
        """Return the points of a part, kept or measured now; the source that is handed on is its own."""
        digest = digest_of({"format": _NOISE, "subject": self.subject, "seed": self.seed, "part": part})
        path = cache_folder() / "compare" / f"{digest[:32]}-{_FORMAT}.json"
        if not self.again and path.is_file():
            try:
                return from_json(path.read_text(encoding="utf-8"))
            except (OSError, ValueError, TypeError):
                path.unlink(missing_ok=True)
        # Nothing private is released here, so the key is public.
        found = measure(RandomSource.keyed(hashlib.sha256(f"textveil compare {digest}".encode()).digest()))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, to_json(found).encode())
        except OSError:
            pass
        return found
