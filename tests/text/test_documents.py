"""Documents: texts that are cut once, lists that are taken as they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.files.framing import as_list
from textveil.hashing import Packed
from textveil.text.documents import all_sentences, documents_in, sentences_of


@given(st.lists(st.text()))
def test_a_list_of_sentences_is_taken_as_it_is(sentences):
    assert sentences_of(as_list(sentences)) == [sentence.encode(errors="surrogatepass") for sentence in sentences]


def test_a_text_is_cut_and_a_list_is_not():
    text = "It rained. We stayed in."
    assert sentences_of(text.encode()) == [b"It rained.", b"We stayed in."]
    assert sentences_of(as_list([text])) == [text.encode()]
    assert sentences_of(as_list(["", ""])) == [b"", b""]
    assert sentences_of(b"") == sentences_of(as_list([])) == sentences_of(b" \n ") == []


def test_documents_are_counted_and_one_without_sentences_may_count_as_one():
    documents = documents_in(["One. Two.", "", ["Three. Four."], []])
    sentences, offsets = all_sentences(documents)
    assert offsets.tolist() == [0, 2, 2, 3, 3]
    assert sentences.data.tobytes() == b"One.Two.Three. Four."
    sentences, offsets = all_sentences(documents, least=1)
    assert offsets.tolist() == [0, 2, 3, 4, 5]
    assert np.diff(sentences.offsets).tolist() == [4, 4, 0, 12, 0]
    assert all_sentences(Packed.of([]))[1].tolist() == [0]


@pytest.mark.parametrize("private", [7, b"bytes", {"a": 1}, [["canary", None]], [7], None])
def test_what_is_no_document_is_refused_without_quoting_it(private):
    with pytest.raises(InvalidInputError, match="must be a str") as told:
        documents_in(private)
    assert "canary" not in str(told.value)
