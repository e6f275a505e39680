"""Texts become numbers of public words by a stated policy."""

from __future__ import annotations

import pytest

from textveil.errors import InvalidInputError
from textveil.learn.autoencoder.tokens import END, UNKNOWN, WordTable, padded, words_of

TABLE = WordTable(["play", "i'm", "7:30", "ohio"], 4)


def test_case_is_folded_and_what_is_not_a_word_only_separates():
    assert words_of("Play, at 7:30 -- I'm\tin OHIO!!", 9) == ["play", "at", "7:30", "i'm", "in", "ohio"]
    assert TABLE.ids("PLAY ohio") == TABLE.ids("...play \n OHIO?") == [2, 5, END]


def test_unknown_words_and_characters_are_all_the_same_word():
    assert TABLE.ids("play Zürich") == TABLE.ids("play 日本語") == TABLE.ids("play x9y") == [2, UNKNOWN, END]


def test_nothing_and_what_holds_no_word_is_the_end_alone():
    assert TABLE.ids("") == TABLE.ids(" \x00!?\U0001f600 ") == [END]


def test_what_is_longer_than_the_limit_is_cut():
    assert TABLE.ids("play " * 100_000) == [2, 2, 2, 2, END]


def test_words_are_written_with_spaces():
    assert TABLE.text([2, 5, 4]) == "play ohio 7:30"
    assert TABLE.text([]) == ""


def test_the_most_frequent_public_words_are_known():
    table = WordTable.of(["b a a", "c a b", "d"], most=3, length=9)
    assert table.words == ("a", "b", "c")
    assert WordTable.of(["a b b"], most=9, length=1).words == ("a",)


def test_rows_are_padded_with_the_end():
    assert padded([[2, END], [3, 4, END]]).tolist() == [[2, END, END], [3, 4, END]]


@pytest.mark.parametrize("words", [[], ["a", "a"], ["A"], ["a b"], [""]])
def test_tables_that_would_not_work_are_refused(words):
    with pytest.raises(InvalidInputError, match="words must"):
        WordTable(words, 4)


def test_public_texts_without_words_are_refused():
    with pytest.raises(InvalidInputError, match="hold no words"):
        WordTable.of(["", "!"], most=3, length=4)
