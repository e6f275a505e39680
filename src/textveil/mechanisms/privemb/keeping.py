"""Secants kept on disk, each bound to the table, the matrix and the step that it is about.

A checksum and a look at some pairs find damage and mix-ups. They are no signature: whoever can write to the cache and
computes the checksum again can forge a certificate.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.cache import cache_folder
from textveil.durable import replacing
from textveil.errors import CertificateError
from textveil.mechanisms.privemb.secants import Secants, secant_ratios
from textveil.receipts import digest_of

FORMAT = 1
# Smaller tables are looked at again sooner than a file is read.
_LEAST_ROWS = 4096


def load(subject: dict[str, Any], points: NDArray[Any], codes: NDArray[np.int64]) -> Secants | None:
    """Return the secants of this subject, or None if there are none.

    Raises
    ------
    CertificateError : the file was damaged, is about something else, or has a ratio below that of two rows in sequence
    """
    path = _path(subject)
    if len(points) < _LEAST_ROWS or not path.exists():
        return None
    try:
        with path.open(encoding="utf-8") as file:
            stored = json.load(file)
        secants = Secants(**stored["secants"])
        pair = np.array([[secants.first, secants.second]])
        genuine = stored["checksum"] == digest_of([_whole(subject), stored["secants"]])
        genuine = genuine and secant_ratios(points, codes, pair)[0] == secants.largest
        rows = np.arange(len(points))
        genuine = (
            genuine and secant_ratios(points, codes, np.stack([rows[1:], rows[:-1]], axis=1)).max() <= secants.largest
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise CertificateError(f"{path} can't be read ({type(error).__name__}); delete it to certify again") from None
    if not genuine:
        raise CertificateError(f"{path} was damaged, edited, or certifies something else; delete it to certify again")
    return secants


def save(subject: dict[str, Any], secants: Secants, rows: int) -> None:
    """Keep secants. A folder that can't be written is passed over: they are only computed again."""
    if rows < _LEAST_ROWS:
        return
    path = _path(subject)
    content = {"secants": asdict(secants), "checksum": digest_of([_whole(subject), asdict(secants)])}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(json.dumps(content).encode())
    except OSError:
        return


def _path(subject: dict[str, Any]) -> Path:
    return cache_folder() / "secants" / f"{digest_of(_whole(subject))[:32]}.json"


def _whole(subject: dict[str, Any]) -> dict[str, Any]:
    return {"format": FORMAT, **subject}
