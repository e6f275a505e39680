"""Works whose effect can be seen exactly, and one that is real."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import textveil as tv
from textveil.guarantees import Unit, local_privacy
from textveil.hashing import Packed


@dataclass(frozen=True)
class Capitals:
    """Not private at all: letters become capitals, so that what is kept can be compared exactly."""

    name: str = "Capitals"
    takes = gives = None
    guarantee = local_privacy(1.0, unit=Unit.TEXT)
    purpose = bytes(32)

    def spec(self):
        return {"mechanism": self.name}

    def words(self, texts):
        return np.ones(len(texts), dtype=np.int64)

    def run(self, texts, source):
        data = texts.data.copy()
        letters = (data >= 97) & (data <= 122)
        data[letters] -= 32
        return Packed(data, texts.offsets)


@pytest.fixture
def capitals():
    return Capitals


@pytest.fixture(scope="session")
def rewriter(clustered):
    """Changes about half of the words."""
    return tv.TextRewriter(tv.Exponential(clustered, epsilon=2.0, radius=3.0))


@pytest.fixture
def words(tmp_path):
    """A file of 400 lines of words of the vocabulary, some unknown."""
    path = tmp_path / "words.txt"
    lines = (" ".join(f"w{(7 * line + 13 * place) % 620}" for place in range(12)) for line in range(400))
    path.write_text("\n".join(lines) + "\n")
    return path
