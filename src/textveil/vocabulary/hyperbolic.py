"""The hyperbolic vocabulary that comes with textveil: nouns of WordNet 3.0 in the ten-dimensional Poincaré ball.

Trained by `textveil train poincare` on the files of Debian's package wordnet-base; `python -m
textveil.vocabulary.hyperbolic TRAINED.npz` packs the result anew. Where it comes from, its quality and its licence:
docs/learning.md. WordNet's licence is beside the data.
"""

from __future__ import annotations

import hashlib
import io
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np

from textveil.errors import CertificateError, InvalidInputError, require_count
from textveil.spaces import Poincare
from textveil.vocabulary.vocabulary import Vocabulary

WORDS = 26_000
_FILE = "wordnet-nouns.npz"
_SHA256 = "5147654aa2e6be93f289a75f775219d99e0f152d85d1e79f2152cf8de1fcf3fa"
# Points are kept in multiples of this, which moves those near the boundary by up to .006 of hyperbolic distance.
_STEP = 2.0**-31
_UNKNOWN = "entity"


def hyperbolic_vocabulary(size: int = WORDS) -> Vocabulary:
    """Return the `size` most frequent nouns, and "entity", as points of the ball; synonyms share a point."""
    if require_count("size", size, least=2) > WORDS:
        raise InvalidInputError(f"size must be at most {WORDS}, the nouns that come with textveil (got {size})")
    content = files("textveil.vocabulary").joinpath("data", _FILE).read_bytes()
    if hashlib.sha256(content).hexdigest() != _SHA256:
        raise CertificateError(f"{_FILE} is not the file that came with textveil; reinstall textveil")
    with np.load(io.BytesIO(content), allow_pickle=False) as packed:
        words = packed["words"].tobytes().decode().split("\n")
        points = packed["points"][packed["rows"]] * _STEP
    whole = Vocabulary(words, points, _UNKNOWN, space=Poincare(points.shape[1]))
    return whole if size == WORDS else whole.subset(size)


def pack(trained: Vocabulary) -> bytes:
    """Return the content of the file that is shipped: the first words of a trained vocabulary, each point once."""
    chosen = trained.subset(WORDS)
    points, rows = np.unique(np.rint(chosen.points / _STEP).astype(np.int32), axis=0, return_inverse=True)
    words = np.frombuffer("\n".join(chosen.words).encode(), dtype=np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, words=words, points=points, rows=rows.astype(np.uint16))
    return file.getvalue()


if __name__ == "__main__":
    Path(__file__).with_name("data").joinpath(_FILE).write_bytes(pack(Vocabulary.load(sys.argv[1])))
