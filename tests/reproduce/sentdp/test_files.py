"""Tables of public data: columns by name, packed by gzip or xz, with clear errors."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.reproduce import reproduce
from textveil.reproduce.sentdp.files import rows_of, unescaped, words_of

from .conftest import write


@pytest.mark.parametrize("ending", ["gz", "xz"])
def test_columns_are_found_by_name_whatever_quotes_a_text_has(tmp_path, ending):
    write(tmp_path / f"t.tsv.{ending}", ("a", "b", "c"), [("1", 'say "hi', "null"), ("2", "", "é")])
    assert list(rows_of(tmp_path, f"t.tsv.{ending}", "c", "b")) == [["null", 'say "hi'], ["é", ""]]


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(InvalidInputError, match=r"no file t\.tsv\.gz"):
        list(rows_of(tmp_path, "t.tsv.gz", "a"))
    write(tmp_path / "t.tsv.gz", ("a", "b"), [("1", "2")])
    with pytest.raises(InvalidInputError, match="no column 'c'; it has a, b"):
        list(rows_of(tmp_path, "t.tsv.gz", "c"))
    write(tmp_path / "t.tsv.gz", ("a", "b"), [("1", "2"), ("1",)])
    with pytest.raises(InvalidInputError, match=r"line 3 of t\.tsv\.gz has 1 cells"):
        list(rows_of(tmp_path, "t.tsv.gz", "a"))


def test_newlines_and_backslashes_come_back():
    assert unescaped(r"a\nb\\n\c") == "a\nb\\n\\c"


def test_words_come_from_the_folder_if_it_has_them(tmp_path):
    assert words_of(tmp_path, 100).dimension == 50
    (tmp_path / "vectors").mkdir()
    stem = tmp_path / "vectors/glove.6B.300d.80k_plus_tasks"
    vectors = np.arange(12, dtype=np.float16).reshape(4, 3)
    np.savez(f"{stem}.f16.npz", vectors=vectors)
    with gzip.open(f"{stem}.words.txt.gz", "wt") as file:
        file.write("the\nunk\na\nan\n")
    found = words_of(tmp_path, 3)
    assert list(found.words) == ["the", "unk", "a"]
    assert (found.points == vectors[:3]).all()


def test_reproductions_that_read_data_say_so(tmp_path):
    for name in ("sentences", "sentdp-figure-4"):
        with pytest.raises(InvalidInputError, match="name their folder by --data"):
            reproduce(name)
    with pytest.raises(InvalidInputError, match="reads no data: omit --data"):
        reproduce("sentdp-table-1", data=tmp_path)
    with pytest.raises(InvalidInputError, match="has no quick part: omit --quick"):
        reproduce("sentdp-table-1", quick=True)
    with pytest.raises(InvalidInputError, match="reads no data and has no quick part: omit --data and --quick"):
        reproduce("sentdp-table-1", data=tmp_path, quick=True)
