from __future__ import annotations

import sqlite3

import numpy as np
import pytest

import textveil as tv

TEXTS = ["one", "two two", "", "one", "ünï \ud800"]


class Counting:
    """An encoder that remembers how many texts it was asked for."""

    def __init__(self, scale=1.0):
        self.asked = 0
        self.inner = tv.FunctionEncoder(self.function, dimension=2, name=f"lengths times {scale}")
        self.scale = scale

    def function(self, texts):
        self.asked += len(texts)
        return [[len(text) * self.scale, len(text) / 3] for text in texts]

    def __getattr__(self, name):
        return getattr(self.inner, name)


def test_public_texts_get_their_vectors():
    vectors = tv.public_vectors(Counting(), TEXTS)
    assert np.array_equal(vectors[:4], [[3, 1], [7, 7 / 3], [0, 0], [3, 1]])
    assert tv.public_vectors(Counting(), []).shape == (0, 2)
    assert len(tv.public_vectors(Counting(), (str(i) for i in range(5000)))) == 5000


def test_a_cache_gives_the_same_bits_without_work(tmp_path):
    first, second, other = Counting(), Counting(), Counting(scale=2.0)
    fresh = tv.public_vectors(first, TEXTS, cache=tmp_path / "kept")
    assert first.asked == 4
    assert np.array_equal(tv.public_vectors(second, [*TEXTS[::-1], "new"], cache=tmp_path / "kept")[:5], fresh[::-1])
    assert second.asked == 1
    assert tv.public_vectors(other, ["one"], cache=tmp_path / "kept")[0, 0] == 6
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_a_cache_holds_no_text(tmp_path):
    tv.public_vectors(Counting(), ["a sentence that is easy to find"], cache=tmp_path)
    (file,) = tmp_path.iterdir()
    assert b"easy to find" not in file.read_bytes()
    with sqlite3.connect(file) as database:
        assert database.execute("SELECT length(text), length(vector) FROM vectors").fetchall() == [(32, 16)]
    database.close()


def test_one_str_is_refused():
    with pytest.raises(tv.InvalidInputError, match="a list of public texts"):
        tv.public_vectors(Counting(), "one")
