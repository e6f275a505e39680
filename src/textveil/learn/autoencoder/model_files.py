"""A model as one file: a zip of arrays with its configuration, its words and a checksum over all of them; no pickle."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import CertificateError, InvalidInputError

Arrays = Mapping[str, NDArray[Any]]

FORMAT = "textveil auto-encoder 1"


def content_digest(config: Mapping[str, Any], words: Sequence[str], weights: Arrays) -> str:
    """Return the sha256 of what a model is made of, however the file is compressed."""
    content = hashlib.sha256(json.dumps([FORMAT, config, list(words)], sort_keys=True).encode())
    for name in sorted(weights):
        values = np.ascontiguousarray(weights[name])
        content.update(f"{name} {values.dtype.str} {values.shape}".encode())
        content.update(values.tobytes())
    return content.hexdigest()


def pack(config: Mapping[str, Any], words: Sequence[str], weights: Arrays) -> bytes:
    """Return the content of a model's file."""
    head = {"format": FORMAT, "config": config, "sha256": content_digest(config, words, weights)}
    file = io.BytesIO()
    np.savez_compressed(
        file, allow_pickle=False, head=_bytes(json.dumps(head)), table=_bytes("\n".join(words)), **weights
    )
    return file.getvalue()


def unpack(content: bytes, name: str | Path) -> tuple[dict[str, Any], list[str], dict[str, NDArray[Any]]]:
    """Return the configuration, the words and the weights of a model's file, or refuse it."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {part: file[part] for part in file.files}
        head = json.loads(arrays.pop("head").tobytes())
        words = arrays.pop("table").tobytes().decode().split("\n")
        form, config, sha256 = head["format"], head["config"], head["sha256"]
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile, zipfile.error):
        raise InvalidInputError(
            f"{name}: not an auto-encoder of textveil; textveil train autoencoder makes one"
        ) from None
    if form != FORMAT:
        raise InvalidInputError(f"{name}: is a {form!r}, this version of textveil reads {FORMAT!r}; train it again")
    if content_digest(config, words, arrays) != sha256:
        raise CertificateError(f"{name}: does not fit its checksum: it was damaged or edited; get or train it again")
    return config, words, arrays


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)
