"""Records that are texts or lists of sentences, in jsonl, parquet and Arrow; and outputs that wait in a spool."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.files import Format, Holds, Kind, Position, Selection, open_source
from textveil.files.arrow_sink import ParquetSink
from textveil.files.framing import as_list
from textveil.files.spooled_sink import SpooledSink
from textveil.text.documents import sentences_of

DOCUMENTS = Selection(column="d", holds=Holds.DOCUMENTS)


def items_in(path, kind, selection=DOCUMENTS):
    batches = list(open_source(path, Format(kind), selection).batches())
    items = [batch.items for batch in batches]
    return [
        part.data[first:last].tobytes()
        for part in items
        for first, last in zip(part.offsets, part.offsets[1:], strict=False)
    ]


def expected(document):
    return as_list(document) if isinstance(document, list) else document.encode(errors="surrogatepass")


TEXT = st.text(st.characters(codec="utf-8"))


@given(st.lists(st.one_of(st.none(), TEXT, st.lists(TEXT, max_size=4)), max_size=6), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_jsonl_has_strings_and_lists_side_by_side(tmp_path, documents, ascii_only):
    path = tmp_path / "in.jsonl"
    lines = [json.dumps({"a": [1, "x"], "d": document}, ensure_ascii=ascii_only) for document in documents]
    path.write_text("".join(line + "\n" for line in lines))
    assert items_in(path, Kind.JSONL) == [expected(document) for document in documents if document is not None]


@pytest.mark.parametrize("value", ["[1]", '["a", null]', '[["a"]]', "{}", "3", "true", '["a", {"b": "c"}]'])
def test_other_values_are_refused_by_their_line(tmp_path, value):
    (tmp_path / "in.jsonl").write_text(f'{{"d": "canary"}}\n{{"d": {value}}}\n')
    with pytest.raises(InvalidInputError, match=r"line 2.*neither a string, nor a list of strings, nor null") as told:
        items_in(tmp_path / "in.jsonl", Kind.JSONL)
    assert "canary" not in str(told.value)


@pytest.mark.parametrize("kind", [Kind.TXT, Kind.CSV, Kind.JSONL, Kind.PARQUET])
def test_a_text_that_is_no_utf8_is_not_taken_for_a_list(tmp_path, kind):
    text, path = b"One two. Three.\xff", tmp_path / "in"
    column = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.array([0, len(text)], pa.int32()).buffers()[1], pa.py_buffer(text)]
    )
    pq.write_table(pa.table({"d": column}), tmp_path / "in.parquet")
    contents = {Kind.TXT: text + b"\n", Kind.CSV: b"d\n" + text + b"\n", Kind.JSONL: b'{"d":"' + text + b'"}\n'}
    path.write_bytes(contents.get(kind) or (tmp_path / "in.parquet").read_bytes())
    selection = replace(DOCUMENTS, column=None) if kind is Kind.TXT else DOCUMENTS
    [item] = items_in(path, kind, selection)
    assert sentences_of(item) == [b"One two.", "Three.\ufffd".encode()]
    assert items_in(path, kind, replace(selection, holds=Holds.TEXTS)) == [text]


def test_a_list_is_no_text_where_texts_are_read(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"d": ["a", "b"]}\n')
    with pytest.raises(InvalidInputError, match="neither a string nor null"):
        items_in(tmp_path / "in.jsonl", Kind.JSONL, Selection(column="d"))
    pq.write_table(pa.table({"d": [["a"]]}), tmp_path / "in.parquet")
    with pytest.raises(InvalidInputError, match="not string; columns of strings: none"):
        items_in(tmp_path / "in.parquet", Kind.PARQUET, Selection(column="d"))


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(pa.string(), 2)])
@pytest.mark.parametrize("name", ["in.parquet", "in.arrow"])
def test_columns_of_lists(tmp_path, kind, name):
    documents = [["One. Two.", "Three"], None, ["", "ä"]]
    table = pa.table({"d": pa.array(documents, type=kind), "id": [1, 2, 3]})
    write = pq.write_table if name == "in.parquet" else feather.write_feather
    write(table, tmp_path / name)
    form = Kind.PARQUET if name == "in.parquet" else Kind.ARROW
    assert items_in(tmp_path / name, form) == [expected(documents[0]), expected(documents[2])]


def test_columns_that_hold_no_documents_and_sentences_that_are_null(tmp_path):
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"d": [["canary"], ["canary", None]], "e": ["x", "y"], "f": [1, 2]}), path)
    with pytest.raises(InvalidInputError, match="record 2: one of its sentences is null") as told:
        items_in(path, Kind.PARQUET)
    assert "canary" not in str(told.value)
    assert items_in(path, Kind.PARQUET, Selection(column="e", holds=Holds.DOCUMENTS)) == [b"x", b"y"]
    with pytest.raises(InvalidInputError, match="not string or a list of strings; columns of strings: d, e"):
        items_in(path, Kind.PARQUET, Selection(column="f", holds=Holds.DOCUMENTS))


def batches_of(rows):
    return [pa.record_batch({"n": [row], "t": [f"text {row}"]}) for row in range(rows)]


def test_a_spool_is_cut_back_and_gone_on_with(tmp_path):
    spool, target, pieces = tmp_path / "spool", tmp_path / "out.parquet", batches_of(9)

    def make():
        return ParquetSink(target, pieces[0].schema, codecs="none", coded=[])

    sink = SpooledSink(spool, make)
    for piece in pieces[:4]:
        sink.append(sink.pack(piece))
    size = sink.sync(Position()).size
    sink.append(sink.pack(pieces[8]))
    sink.close()
    assert not target.exists()
    sink = SpooledSink(spool, make, keep=size)
    for piece in pieces[4:]:
        sink.append(sink.pack(piece))
    sink.finish()
    assert pq.read_table(target)["n"].to_pylist() == list(range(9))
    with pytest.raises(InvalidInputError, match="shorter"):
        SpooledSink(spool, make, keep=1 << 20)
    SpooledSink(spool, make).finish()
    assert pq.read_table(target).num_rows == 0


@pytest.mark.parametrize(("place", "size"), [(0, 1 << 50), (0, 100), (7, 200), (0, 0)])
def test_a_damaged_spool_is_refused(tmp_path, place, size):
    spool, pieces = tmp_path / "spool", batches_of(2)
    sink = SpooledSink(spool, lambda: ParquetSink(tmp_path / "out.parquet", pieces[0].schema, codecs="none", coded=[]))
    for piece in pieces:
        sink.append(sink.pack(piece))
    with spool.open("r+b") as file:
        file.seek(place)
        file.write(size.to_bytes(8, "little"))
    with pytest.raises(InvalidInputError, match="damaged; begin again with --discard"):
        sink.finish()
    sink.close()
