from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textveil as tv
from textveil.randomness import RandomSource
from textveil.text.alignment import aligned
from textveil.text.protection import AllBut

WORDS = ["unk", "will", "it", "be", "colder", "in", "ohio", "straße", "the"]


@pytest.fixture(scope="module")
def rewriter():
    table = tv.Vocabulary(WORDS, np.random.default_rng(0).normal(size=(len(WORDS), 3)))
    return tv.TextRewriter(tv.Exponential(table, epsilon=0.5), protect=AllBut(["the"]))


def put_together(both, words):
    released = iter(words)
    return "".join(piece.text if piece.enters is None else next(released) for piece in both.pieces)


@settings(deadline=None)
@given(text=st.text(max_size=60) | st.lists(st.sampled_from([*WORDS, "Ohio,", "(it)", "42", "🙂", "\n"])).map(" ".join))
def test_the_pieces_are_the_text_and_the_samples_are_what_the_rewriter_releases(rewriter, text):
    text = text.encode("utf-8", errors="replace").decode()
    both = aligned(rewriter, text, samples=3, source=RandomSource.seeded(1))
    assert "".join(piece.text for piece in both.pieces) == text
    released = rewriter.release([text] * 3, source=RandomSource.seeded(1))
    assert [put_together(both, words) for words in both.samples] == released


def test_words_tell_what_they_enter_as_and_whether_they_are_left(rewriter):
    both = aligned(rewriter, "The weather in Ohio: 42.", samples=1)
    words = [piece for piece in both.pieces if piece.enters is not None]
    assert [(piece.text, piece.enters, piece.known, piece.left) for piece in words] == [
        ("The", "the", True, True),
        ("weather", "unk", False, False),
        ("in", "in", True, False),
        ("Ohio", "ohio", True, False),
        ("42", "unk", False, False),
    ]
    assert both.samples[0][0] == "The"


def test_samples_are_independent(rewriter):
    both = aligned(rewriter, "ohio " * 40, samples=2)
    assert both.samples[0] != both.samples[1]
