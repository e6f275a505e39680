from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import textveil as tv
from textveil.hashing import Packed
from textveil.text.scanning import Lookup
from textveil.text.tokens import words_in

TEXTS = [
    "w1 w2 w3",
    "",
    "  \r\n\t ...",
    "w1",
    "W1, w2; nowhere w5\r\nw5",
    "w7 naïve 東京 w8 😀 “w9” w10’s",
    "call 617-555-0134 or x@example.org!",
    "w1-w2/w3 don't w4's",
    "\udcff\ud800 w3",
    "w11 " * 30_000 + "w12 " * 220_000,
]


def packed(texts):
    return Packed.of([text.encode("utf-8", errors="surrogatepass") for text in texts])


def reference(vocabulary, text):
    """Exactly, word by word, in fractions."""
    readable = text.encode("utf-8", errors="surrogatepass").decode("utf-8", errors="surrogateescape")
    lookup = Lookup(vocabulary)
    ids = [lookup.find(readable[start:end]) for start, end in words_in(readable)] or [vocabulary.unknown_id]
    numbers, counts = np.unique(ids, return_counts=True)
    total = [Fraction(0)] * vocabulary.dimension
    for number, count in zip(numbers, counts, strict=True):
        for k, value in enumerate(vocabulary.points[number]):
            total[k] += int(count) * Fraction(float(value))
    return np.array([float(value / len(ids)) for value in total])


def test_a_text_gets_the_exact_average_of_its_words(clustered):
    vectors = tv.AveragedWords(clustered).encode(packed(TEXTS))
    assert vectors.shape == (len(TEXTS), 12)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert np.array_equal(vector, reference(clustered, text))


def test_a_text_without_words_is_the_unknown_word(clustered):
    empty, unknown, nowhere = tv.AveragedWords(clustered).encode(packed(["...", "w0", "nowhere"]))
    assert np.array_equal(empty, unknown)
    assert np.array_equal(nowhere, unknown)


def test_a_vector_does_not_depend_on_the_batch(clustered):
    encoder = tv.AveragedWords(clustered)
    together = encoder.encode(packed(TEXTS))
    for place in range(len(TEXTS)):
        assert np.array_equal(encoder.encode(packed(TEXTS[place : place + 1]))[0], together[place])
    assert np.array_equal(encoder.encode(packed(TEXTS[::-1])), together[::-1])
    assert encoder.encode(packed([])).shape == (0, 12)


def test_large_vectors_are_added_exactly_or_refused():
    vectors = np.array([[60_000.0 + 2.0**-20, -1.0], [-60_000.0, 3.0], [0.5, 0.25]])
    vocabulary = tv.Vocabulary(["a", "b", "unk"], vectors)
    (mean,) = tv.AveragedWords(vocabulary).encode(packed(["a b " * 1000]))
    assert np.array_equal(mean, [2.0**-21, 1.0])
    with pytest.raises(tv.InvalidInputError, match="divide them by a public constant"):
        tv.AveragedWords(tv.Vocabulary(["a", "unk"], [[70_000.0], [1.0]]))


def test_plain_strings_are_taken_too(clustered):
    encoder = tv.AveragedWords(clustered)
    assert np.array_equal(encoder.encode(["w1 w2", "w3"]), encoder.encode(packed(["w1 w2", "w3"])))
    assert encoder.encode("w1").shape == (1, 12)
    with pytest.raises(tv.InvalidInputError, match="texts must be str"):
        encoder.encode([1])
