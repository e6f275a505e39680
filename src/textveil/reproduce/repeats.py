"""Repeated measurements as a mean with its interval, and the data behind them by its sha256."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from textveil.errors import InvalidInputError
from textveil.randomness import RandomSource

CONFIDENCE = 0.95


def interval(values: Sequence[float]) -> dict[str, Any]:
    """Return the mean of runs and how far from it the true one may be (95%, Student's t).

    One run does not say, and runs that are all equal don't either.
    """
    from scipy.special import stdtrit

    runs, around = len(values), None
    if len(set(values)) > 1:
        deviation = float(np.std(values, ddof=1))
        around = float(stdtrit(runs - 1, (1 + CONFIDENCE) / 2)) * deviation / math.sqrt(runs)
    return {"mean": float(np.mean(values)), "around": around, "runs": runs}


def told(found: Mapping[str, Any], digits: int = 3) -> str:
    """Return a mean and its interval to read."""
    return f"{found['mean']:.{digits}f}" + ("" if found["around"] is None else f" ± {found['around']:.{digits}f}")


def folder_digest(folder: Path, names: Sequence[str]) -> str:
    """Return the sha256 of some files of a folder, so that cells kept of others are not taken for these."""
    digest = hashlib.sha256()
    for name in names:
        path = folder / name
        if not path.is_file():
            raise InvalidInputError(
                f"there is no file {name} in {folder}; --data must name the folder of the data sets"
            )
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def public_source(*purpose: object) -> RandomSource:
    """Return a source that anyone can repeat: nothing here is private."""
    return RandomSource.keyed(hashlib.sha256(f"textveil reproduce {purpose}".encode()).digest())
