"""The public sentences that come with textveil."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.encoders import public_sentences as module
from textveil.encoders.public_sentences import default_candidates, examples, public_sentences


def test_there_are_5000_different_english_sentences():
    sentences = public_sentences()
    assert len(sentences) == len({sentence.casefold() for sentence in sentences}) == 5000
    for sentence in sentences:
        assert sentence.isascii()
        assert 8 <= len(sentence.split()) <= 30
        assert not sentence[0].islower()
        assert sentence.endswith((".", "!", "?"))


def test_a_changed_file_is_refused(monkeypatch):
    monkeypatch.setattr(module, "_SHA256", "0" * 64)
    with pytest.raises(tv.CertificateError, match="reinstall textveil"):
        public_sentences()


def test_candidates_are_encoded_once():
    calls = []

    def lengths(texts):
        calls.extend(texts)
        return [[len(text), text.count("e")] for text in texts]

    encoder = tv.FunctionEncoder(lengths, dimension=2, name="lengths")
    first, second = default_candidates(encoder), default_candidates(tv.SentenceMeans(encoder))
    assert len(calls) == 5000
    assert first.digest == second.digest
    assert first[7].text == public_sentences()[7]
    assert np.array_equal(first.vectors[7], [len(first[7].text), first[7].text.count("e")])


def test_they_are_examples_of_wordnet(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_COUNT", 2)
    lines = [
        "  1 This is the licence.",
        '00001740 03 n 01 entity 0 000 | a thing; "it was full of rackets, balls and other objects"; "too short"',
        '00001741 03 n 01 evil 0 000 | a word; "the murder of the old king was never explained to us"',
        '00001742 03 n 01 more 0 000 | a word; "It Was full of rackets, balls and other objects"',
        '00001743 03 n 01 more 0 000 | a word; "was it  ever as cold as it is this week?"',
    ]
    for part in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"data.{part}").write_text("\n".join(lines if part == "noun" else []))
    assert examples(tmp_path) == [
        "It was full of rackets, balls and other objects.",
        "Was it ever as cold as it is this week?",
    ]
