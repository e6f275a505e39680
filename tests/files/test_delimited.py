from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.files import Format, Kind, Selection, open_sink, open_source

SIMPLE = b"id,text,label\n1,hello you,a\n2,,b\n"


def test_only_the_column_changes(copied):
    assert copied(SIMPLE, "a.csv", column="text") == b"id,text,label\n1,HELLO YOU,a\n2,,b\n"


@pytest.mark.parametrize("batch_bytes", [1, 5, 1 << 16])
def test_other_fields_and_line_ends_stay_as_they_were_written(copied, batch_bytes):
    content = b'\xef\xbb\xbfid,"te""xt",x\r\n"1","a ""b"", c\r\nd", "odd" \r\n\r\n007,plain,"q,""r"\n+1e5,x,'
    expected = b'\xef\xbb\xbfid,"te""xt",x\r\n"1","A ""B"", C\r\nD", "odd" \r\n\r\n007,PLAIN,"q,""r"\n+1e5,X,'
    assert copied(content, "a.csv", column='te"xt', batch_bytes=batch_bytes) == expected


def test_a_released_field_has_quotes_by_its_own_need_alone(copied):
    """Those of the private field would tell whether it held a comma."""
    assert copied(b'id,text\n1,"plain"\n2,plain\n', "a.csv", column="text") == b"id,text\n1,PLAIN\n2,PLAIN\n"


def test_a_column_may_be_given_by_number_and_without_header(copied):
    assert copied(SIMPLE, "a.csv", column="2", header=True) == copied(SIMPLE, "a.csv", column="text")
    assert copied(b"a,b\nc,d\n", "a.csv", column=2, header=False) == b"a,B\nc,D\n"
    assert copied(b"text\nab\n\ncd", "a.csv", header=True) == b"text\nAB\n\nCD"


def test_tabs_and_other_delimiters(copied):
    assert copied(b"id\ttext\n1\ta,b\n", "a.tsv", column="text") == b"id\ttext\n1\tA,B\n"
    assert copied(b"id;text\n1;a,b\n", "a.csv", column="text", delimiter=";") == b"id;text\n1;A,B\n"
    with pytest.raises(InvalidInputError, match="delimiter must be one ASCII"):
        copied(SIMPLE, "a.csv", column="text", delimiter="ab")


def test_invalid_utf8_and_nul_stay(copied):
    assert copied(b"id,text\n\xff,\xe9a\0\n", "a.csv", column="text") == b"id,text\n\xff,\xe9A\0\n"


@pytest.mark.parametrize("column", ["body", "4", 0, 9])
def test_a_missing_column_is_told_with_those_there_are(copied, column):
    with pytest.raises(InvalidInputError, match="3 columns: id, text, label"):
        copied(SIMPLE, "a.csv", column=column, header=True)


def test_a_column_must_be_chosen_and_be_one(copied):
    with pytest.raises(InvalidInputError, match="say which one holds the texts"):
        copied(SIMPLE, "a.csv", header=True)
    with pytest.raises(InvalidInputError, match="more than one is called"):
        copied(b"a,a\n1,2\n", "a.csv", column="a")
    with pytest.raises(InvalidInputError, match="without names; give a number from 1 to 2"):
        copied(b"secret,thing\n", "a.csv", column="x", header=False)
    with pytest.raises(InvalidInputError, match="no first row"):
        copied(b"", "a.csv", column="text")


@pytest.mark.parametrize("column", [None, 1, "2"])
def test_a_first_row_is_not_taken_for_a_header_unless_that_is_sure(copied, column):
    with pytest.raises(InvalidInputError, match="say whether the first row") as caught:
        copied(b"1,canary\n2,other\n", "a.csv", column=column)
    assert "canary" not in str(caught.value)


FAULTS = {
    "never ends": b'id,text\n1,a\n2,"canary\n',
    "not as many fields": b"id,text\n1,a\n2,canary,canary\n",
    "closing quote": b'id,text\n1,a\n2,"canary"canary\n',
    "carriage return": b"id,text\n1,a\n2,canary\rcanary\n",
}


@pytest.mark.parametrize(("reason", "content"), FAULTS.items(), ids=FAULTS.keys())
@pytest.mark.parametrize("batch_bytes", [3, 1 << 16])
def test_faults_name_the_line_and_quote_nothing(copied, reason, content, batch_bytes):
    with pytest.raises(InvalidInputError, match=reason) as caught:
        copied(content, "a.csv", column="text", batch_bytes=batch_bytes)
    assert "a.csv, line 3" in str(caught.value)
    assert "canary" not in str(caught.value)


def test_line_numbers_count_line_breaks_within_fields(copied):
    with pytest.raises(InvalidInputError, match="line 5"):
        copied(b'id,text\n1,"a\nb\nc"\n2\n', "a.csv", column="text")


fields = st.text(alphabet='ab ,"\r\n;é', max_size=8)
ROWS = st.lists(st.tuples(fields, fields, fields), max_size=8)


@settings(max_examples=80, deadline=None)
@given(rows=ROWS, quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), batch_bytes=st.integers(1, 40))
def test_the_csv_module_reads_what_it_would_have_read(tmp_path_factory, rows, quoting, batch_bytes):
    folder = tmp_path_factory.mktemp("csv")
    written = io.StringIO(newline="")
    csv.writer(written, quoting=quoting).writerows([("one", "two", "three"), *rows])
    (folder / "in.csv").write_bytes(written.getvalue().encode())
    form = Format(Kind.CSV)
    source = open_source(folder / "in.csv", form, Selection(column="two"), batch_bytes=batch_bytes)
    sink = open_sink(source, folder / "out.csv", form)
    sink.append(source.head)
    seen = []
    for batch in source.batches():
        seen += [
            batch.items.data[first:last].tobytes().decode()
            for first, last in zip(batch.items.offsets[:-1], batch.items.offsets[1:], strict=True)
        ]
        sink.append(source.fill(batch, batch.items))
    sink.finish()
    assert seen == [row[1] for row in rows]
    with (folder / "out.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [["one", "two", "three"], *map(list, rows)]


def test_what_passes_through_is_named(capitals, tmp_path):
    (tmp_path / "a.csv").write_bytes(SIMPLE)
    assert capitals(tmp_path / "a.csv", column="text")[1].reveals == ("columns unchanged: id, label",)
