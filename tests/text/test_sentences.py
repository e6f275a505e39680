from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textveil.text.sentences import sentence_spans, sentences_in

# Texts of the signs that matter, so that ends of all kinds are frequent.
TEXT = st.text(alphabet="ab.!?…\"')] \n\tMrDéU5", max_size=40)
WHOLE = st.builds(str.__add__, TEXT, st.sampled_from(["ab. ", "ab!\n", 'said."\t', "5?) ", "x\n\n"]))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        (" \n ", []),
        ("One", ["One"]),
        ("One. Two! Three? Four… Five", ["One.", "Two!", "Three?", "Four…", "Five"]),
        ('Dr. J. R. Lee of the U.S. said "no." Then (at 5 p.m. sharp) left.', None),
        ("A title\n\nA line\nthat goes on.\n \n\nEnd", ["A title", "A line\nthat goes on.", "End"]),
        ("It costs 3.50 at a.example.org/x?y=1. Really?!  ", ["It costs 3.50 at a.example.org/x?y=1.", "Really?!"]),
        ("Wait... what", ["Wait...", "what"]),
    ],
)
def test_where_sentences_end(text, sentences):
    expected = ['Dr. J. R. Lee of the U.S. said "no."', "Then (at 5 p.m. sharp) left."]
    assert sentences_in(text) == (expected if sentences is None else sentences)


@given(WHOLE, TEXT)
def test_what_follows_never_moves_the_end_of_a_sentence(before, after):
    assert sentences_in(before + after) == sentences_in(before) + sentences_in(after)


@given(WHOLE, WHOLE, WHOLE, TEXT)
def test_a_replaced_sentence_leaves_its_neighbours_as_they_were(before, old, new, after):
    head, tail = sentences_in(before), sentences_in(after)
    for middle in (old, new):
        found = sentences_in(before + middle + after)
        assert found[: len(head)] == head
        assert found[len(found) - len(tail) :] == tail
        assert found[len(head) : len(found) - len(tail)] == sentences_in(middle)


@given(TEXT)
def test_nothing_but_white_space_is_lost(text):
    spans = list(sentence_spans(text))
    assert "".join(text[a:b] for a, b in spans).split() == "".join(sentences_in(text)).split()
    inside = {place for a, b in spans for place in range(a, b)}
    assert all(text[place].isspace() for place in range(len(text)) if place not in inside)
    assert spans == sorted(spans)
