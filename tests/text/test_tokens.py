"""What is a word, and that the fast scanner agrees with the rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textveil as tv
from textveil.hashing import Packed
from textveil.text.scanning import Lookup, scan
from textveil.text.tokens import words_in

VOCABULARY = tv.Vocabulary(
    ["unk", "it", "can", "will", "do", "don", "well", "known", "o", "neill", "café", "straße", "Paris", "u.s"],
    np.arange(28.0).reshape(14, 2),
)
LOOKUP = Lookup(VOCABULARY)


def words(text):
    return [text[start:end] for start, end in words_in(text)]


def scanned(text):
    texts = Packed.of([text if isinstance(text, bytes) else text.encode()])
    found, data = scan(texts, LOOKUP), texts.data
    return [data[s:e].tobytes() for s, e in zip(found.starts, found.ends, strict=True)], found.ids


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Will it be colder?", ["Will", "it", "be", "colder"]),
        ("jane.doe@example.org,", ["jane.doe@example.org"]),
        ("(617) 555-0199", ["617", "555-0199"]),
        ("https://example.org/a?b=c#d", ["https://example.org/a?b=c#d"]),
        ("well-known and/or so-so", ["well", "known", "and", "or", "so", "so"]),
        ("don't 'quoted' rock'n'roll O'Neill's", ["don't", "quoted", "rock'n'roll", "O'Neill's"]),
        ("wait...what U.S. end.Next", ["wait", "what", "U.S", "end.Next"]),
        ("3,000.50 $5 50% #tag @name a_b x^2", ["3,000.50", "5", "50", "tag", "name", "a_b", "x^2"]),
        ("“curly” — dash… «guillemets»", ["curly", "dash", "guillemets"]),
        ("it\u2019s", ["it\u2019s"]),
        ("😀 👩\u200d💻 ok", ["😀", "👩\u200d💻", "ok"]),
        ("日本語 Привет café", ["日本語", "Привет", "café"]),
        ("C:\\temp\\x ~user `code`", ["C:\\temp\\x", "user", "code"]),
        ("... --- !!!", []),
        ("", []),
        ("a\x00b\x07c", ["a", "b", "c"]),
        ("http://x:/ a:b a://b", ["http://x", "a", "b", "a://b"]),
    ],
)
def test_the_rule(text, expected):
    assert words(text) == expected
    assert scanned(text)[0] == [word.encode() for word in expected]


@given(st.text(st.sampled_from("abZ'.-/:,@ 1_\n\t\u2019é😀“\\")))
@settings(max_examples=600, deadline=None)
def test_the_scanner_agrees_with_the_rule(text):
    found, ids = scanned(text)
    assert found == [word.encode() for word in words(text)]
    assert ids.tolist() == [LOOKUP.find(word) for word in words(text)]


@given(st.text())
@settings(max_examples=300, deadline=None)
def test_the_scanner_agrees_with_the_rule_on_any_text(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert scanned(text)[0] == [word.encode() for word in words(text)]


@given(st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_scanned_and_what_is_no_text_is_protected(data):
    found, _ = scanned(data)
    left = data
    for word in found:
        left = left.replace(word, b"", 1)
    for character in left.decode("utf-8", errors="surrogateescape"):
        assert not character.isalnum()
        assert not "\udc80" <= character <= "\udcff"


@pytest.mark.parametrize(
    ("word", "entry"),
    [
        ("IT", "it"),
        ("It's", "it"),
        ("it\u2019s", "it"),
        ("can't", "can"),
        ("Won't", "will"),
        ("don't", "do"),
        ("O'Neill", "o"),
        ("CAFÉ", "café"),
        ("STRASSE", "straße"),
        ("paris", "Paris"),
        ("U.S.", "u.s"),
        ("jane@x.org", "unk"),
        ("12", "unk"),
        ("\U0001f600", "unk"),
    ],
)
def test_looking_up(word, entry):
    assert VOCABULARY.words_of(scanned(word)[1]) == [entry]


def test_every_word_of_a_large_table_is_found():
    table = [f"w{i}x".translate(str.maketrans("0123456789", "abcdefghij")) for i in range(5000)]
    lookup = Lookup(tv.Vocabulary(table, np.arange(5000.0)[:, None], unknown=table[0]))
    assert (scan(Packed.of([" ".join(table).encode()]), lookup).ids == np.arange(5000)).all()


def test_words_never_reach_into_the_next_text():
    found = scan(Packed.of([b"it", b"can", b"", b"a@", b"b", "é".encode(), b"x"]), LOOKUP)
    assert (found.ends - found.starts).tolist() == [2, 3, 1, 1, 2, 1]
    assert found.owners.tolist() == [0, 1, 3, 4, 5, 6]
