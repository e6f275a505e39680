"""Relations: read from every kind of file, filtered, closed; what can't be trained on is refused."""

from __future__ import annotations

import gzip
import lzma
from itertools import pairwise

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.learn import relations as module
from textveil.learn.hierarchies import read_hierarchy
from textveil.learn.relation_files import read_table, read_words
from textveil.learn.relations import Relations, filtered
from textveil.learn.wordnet import read_wordnet

PAIRS = [("dog", "canine"), ("canine", "mammal"), ("cat", "feline"), ("feline", "mammal"), ("mammal", "animal")]
NOTICE = "  1 This software and database is being provided to you, the LICENSEE, by  \n"
DATA = (
    NOTICE + "00000010 03 n 01 entity 0 002 ~ 00000020 n 0000 ~ 00000030 n 0000 | what there is  \n"
    "00000020 03 n 02 dog 0 domestic_dog 1 003 @ 00000010 n 0000 + 00692347 v 0 ~i 00000040 n 0000 | barks | a lot \n"
    "00000030 03 n 01 state 0 001 @ 00000010 n 0000 | a district  \n"
    "00000040 03 n 02 Rex 0 Ohio 0 002 @i 00000020 n 0000 @i 00000030 n 0000 | named by someone  \n"
)
INDEX = (
    NOTICE + "dog n 2 2 @ ~ 2 1 00000020 00000030  \ndomestic_dog n 1 1 @ 1 0 00000020  \n"
    "entity n 1 1 ~ 1 1 00000010  \nhe n 1 1 @ 1 1 00000030  \n"
    "ohio n 2 0 2 0 00000040 00000030  \nstate n 1 1 @ 1 1 00000030  \n"
)


def pairs_of(relations):
    return {
        (relations.names[i], relations.names[j])
        for i in range(len(relations.names))
        for j in relations.above[relations.offsets[i] : relations.offsets[i + 1]]
    }


@pytest.fixture
def wordnet(tmp_path):
    (tmp_path / "data.noun").write_text(DATA)
    (tmp_path / "index.noun").write_text(INDEX)
    return tmp_path


def test_the_closure_adds_what_follows():
    closed = pairs_of(Relations.of_pairs(PAIRS))
    assert closed == {
        *PAIRS,
        *(("dog", "mammal"), ("dog", "animal"), ("cat", "mammal"), ("cat", "animal")),
        *(("canine", "animal"), ("feline", "animal")),
    }
    assert pairs_of(Relations.of_pairs(sorted(closed))) == closed
    assert pairs_of(Relations.of_pairs([*PAIRS, *PAIRS], closure=False)) == set(PAIRS)


def test_what_lies_below_is_the_other_way_round():
    relations = Relations.of_pairs(PAIRS)
    offsets, lower = relations.below
    below = {
        (relations.names[i], relations.names[j])
        for j in range(len(relations.names))
        for i in lower[offsets[j] : offsets[j + 1]]
    }
    assert below == pairs_of(relations)
    assert all((np.diff(relations.above[a:b]) > 0).all() for a, b in pairwise(relations.offsets))


def test_circles_are_refused_and_named_unless_allowed():
    circle = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")]
    with pytest.raises(InvalidInputError, match=r"circle \(a is a b is a c is a a\)"):
        Relations.of_pairs(circle)
    with pytest.raises(InvalidInputError, match=r"\(20 names\)"):
        Relations.of_pairs([(str(i), str((i + 1) % 20)) for i in range(20)], closure=False)
    with pytest.raises(InvalidInputError, match="'b' is related to itself"):
        Relations.of_pairs([("a", "b"), ("b", "b")])
    assert pairs_of(Relations.of_pairs([*circle, ("d", "d")], cycles=True)) == set(circle)


def test_nothing_to_train_on_is_refused():
    for pairs in ([], [("a", "a")]):
        with pytest.raises(InvalidInputError, match="no relations are left"):
            Relations.of_pairs(pairs, cycles=True)


def test_a_closure_too_large_for_memory_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_PAIRS", 100)
    chain = [(str(i), str(i + 1)) for i in range(50)]
    with pytest.raises(InvalidInputError, match="no closure"):
        Relations.of_pairs(chain)
    assert len(Relations.of_pairs(chain, closure=False)) == 50


def test_the_filters_of_the_paper():
    counted = [("a", "b", 12), ("a", "c", 10), ("b", "c", 6), ("b", "c", 4), ("d", "c", 9), ("the", "c", 99)]
    assert filtered(counted, minimum_count=10) == [("a", "b"), ("a", "c"), ("b", "c"), ("the", "c")]
    assert filtered(counted, minimum_count=10, without={"the"}) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert filtered(counted, within={"a", "b"}) == [("a", "b")]
    assert filtered(counted, minimum_links=2) == [("a", "b"), ("a", "c"), ("b", "c")]
    # Dropping one word takes links from others, which then go too.
    assert filtered([("a", "b", 1), ("b", "c", 1), ("c", "d", 1)], minimum_links=2) == []
    with pytest.raises(InvalidInputError, match="minimum_count must be"):
        filtered(counted, minimum_count=0)


@pytest.mark.parametrize("header", ["", "hyponym\thypernym\n", "id1\tid2\n"], ids=["none", "hyponym", "id"])
@pytest.mark.parametrize("opener", [open, gzip.open, lzma.open], ids=["plain", "gz", "xz"])
def test_tables_with_and_without_header_and_compression(tmp_path, header, opener):
    path = tmp_path / "relations"
    with opener(path, "wb") as file:
        file.write((header + "".join(f"{a}\t{b}\n" for a, b in PAIRS) + "\n").encode())
    table = read_table(path)
    assert [row[:2] for row in table.rows] == PAIRS
    assert not table.counted


def test_commas_quotes_counts_and_other_columns(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text('"fox, red",fox\nfox,animal\n')
    assert [row[:2] for row in read_table(path).rows] == [("fox, red", "fox"), ("fox", "animal")]
    path.write_text("hyponym\thypernym\tcount\ndog\tanimal\t741\ncat\tanimal\t14\n")
    assert read_table(path) == ([("dog", "animal", 741), ("cat", "animal", 14)], True)
    path.write_text("id1\tid2\ttype\ndog\tanimal\thypernym\n")
    assert read_table(path) == ([("dog", "animal", 1)], False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no relations"),
        (b"id1\tid2\n\n", "has no relations"),
        (b"dog\tanimal\ncat\n", "line 2: a relation needs two names"),
        (b"dog\tanimal\ncat\t \n", "line 2: a relation needs two names"),
        (b"dog\tanimal\t3\ncat\tanimal\tnan\n", "line 2: the third column"),
        (b"dog\tanimal\tnan\n", "line 1: the third column"),
        (b"dog\tanimal\t3\ncat\tanimal\n", "line 2: the third column"),
        (b"dog\tanimal\t3\ncat\tanimal\t-1\n", "line 2: the third column"),
        (b"dog\tanimal\t3\ncat\tanimal\tinf\n", "line 2: the third column"),
        (b"dog\tanim\xff\n", "line 1: not UTF-8"),
        (b"a\tb\nb\ta\n", "circle"),
    ],
)
def test_files_that_cannot_be_used_are_refused(tmp_path, content, message):
    path = tmp_path / "r.tsv"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match=message) as error:
        read_hierarchy(path)
    assert str(path) in str(error.value)


def test_missing_files_and_empty_lists_are_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="No such file"):
        read_hierarchy(tmp_path / "none.tsv")
    (tmp_path / "words").write_text("\n")
    with pytest.raises(InvalidInputError, match="has no words"):
        read_words(tmp_path / "words")


def test_counted_pairs_are_not_closed_unless_asked(tmp_path):
    path = tmp_path / "r.tsv"
    path.write_text("a\tb\t5\nb\tc\t5\n")
    assert len(read_hierarchy(path).relations) == 2
    assert len(read_hierarchy(path, closure=True).relations) == 3


def test_wordnet_gives_kinds_instances_and_first_meanings(wordnet):
    found = read_wordnet(wordnet)
    assert found.pairs == [
        ("00000020", "00000010"),
        ("00000030", "00000010"),
        ("00000040", "00000020"),
        ("00000040", "00000030"),
    ]
    assert found.first_meaning["dog"] == "00000020"
    hierarchy = read_hierarchy(wordnet / "data.noun")
    assert len(hierarchy.relations) == 5


def test_words_of_wordnet_are_single_words_the_frequent_ones_first(wordnet):
    hierarchy = read_hierarchy(wordnet)
    points = np.arange(4)[:, None] * [[0.1, 0.0]]
    vocabulary = hierarchy.vocabulary(points)
    assert vocabulary.words == ("state", "ohio", "dog", "entity")
    assert vocabulary.unknown == "entity"
    rows = [hierarchy.relations.names.index(hierarchy.meanings[word]) for word in vocabulary.words]
    assert vocabulary.points == pytest.approx(points[rows])


def test_damaged_wordnet_files_are_refused(wordnet):
    (wordnet / "index.noun").write_text("dog n\n")
    with pytest.raises(InvalidInputError, match=r"index\.noun, line 1: not a line of WordNet"):
        read_wordnet(wordnet)
    (wordnet / "data.noun").write_text(NOTICE)
    with pytest.raises(InvalidInputError, match="no synset"):
        read_wordnet(wordnet)
