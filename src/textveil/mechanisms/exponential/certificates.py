"""Calibrations kept on disk, each bound to the vocabulary that it certifies.

A checksum finds damage and mix-ups. It is no signature: whoever can write to the cache and computes the checksum again
can forge a certificate.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from textveil.cache import cache_folder
from textveil.durable import replacing
from textveil.errors import CertificateError
from textveil.mechanisms.exponential.law import Law
from textveil.receipts import digest_of

FORMAT = 1
_NUMBERS = ("rate", "loss", "kept", "most_kept")
_ARRAYS = ("output_weights", "row_boosts", "log_normalisers")


def subject_of(*, vocabulary: str, epsilon: float, radius: float, form: str) -> dict[str, Any]:
    """Return what a certificate is about: the vocabulary by its sha256, and the parameters."""
    return {"format": FORMAT, "vocabulary": vocabulary, "epsilon": epsilon, "radius": repr(radius), "form": form}


def load(subject: dict[str, Any]) -> Law | None:
    """Return the certified law of this subject, or None if there is none.

    Raises
    ------
    CertificateError : the file was damaged, or edited without its checksum, or certifies something else
    """
    path = _path(subject)
    if not path.exists():
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            header = json.loads(str(stored["header"]))
            arrays = {name: stored[name] for name in _ARRAYS if name in stored}
            checksum = str(stored["checksum"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise CertificateError(f"{path} can't be read ({type(error).__name__}); delete it to calibrate again") from None
    if checksum != _checksum(header, arrays) or header.get("subject") != subject:
        raise CertificateError(f"{path} was edited or certifies something else; delete it to calibrate again")
    numbers = {name: header[name] for name in _NUMBERS}
    law = Law(radius=float(subject["radius"]), certified=True, **numbers, **arrays)
    if not (law.rate <= law.loss <= subject["epsilon"]):
        raise CertificateError(f"{path} does not certify epsilon {subject['epsilon']}; delete it to calibrate again")
    return law


def save(subject: dict[str, Any], law: Law) -> None:
    """Keep a certified law. A folder that can't be written is passed over: the law is only computed again."""
    arrays = {name: value for name in _ARRAYS if (value := getattr(law, name)) is not None}
    header = {"subject": subject, **{name: getattr(law, name) for name in _NUMBERS}}
    path = _path(subject)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            np.savez(file, header=json.dumps(header), checksum=_checksum(header, arrays), **arrays)
    except OSError:
        return


def _path(subject: dict[str, Any]) -> Path:
    return cache_folder() / "laws" / f"{digest_of(subject)[:32]}.npz"


def _checksum(header: dict[str, Any], arrays: dict[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(arrays[name], dtype=np.float64).tobytes())
    return digest.hexdigest()
