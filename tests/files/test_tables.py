from __future__ import annotations

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from textveil.errors import InvalidInputError
from textveil.files import Format, Kind, Selection, open_source

ROWS = 1000
WORDS = ["plain", None, "", "é 東京 😀", 'a,b\n"c"', "x" * 3000]


@pytest.fixture
def table():
    texts = [WORDS[row % len(WORDS)] for row in range(ROWS)]
    kinds = {"text": pa.string(), "large": pa.large_string(), "view": pa.string_view()}
    columns = {name: pa.array(texts, kind) for name, kind in kinds.items()}
    columns["coded"] = pa.array(texts).dictionary_encode()
    columns["id"] = pa.array(range(ROWS), pa.int16())
    columns["nested"] = pa.array([[{"a": row, "b": "keep"}] for row in range(ROWS)])
    columns["kept coded"] = pa.array(["some", "other"] * (ROWS // 2)).dictionary_encode()
    metadata = {"owner": "someone"}
    return pa.table(columns).replace_schema_metadata(metadata)


def upper(values):
    return [None if value is None else "".join(c.upper() if c.isascii() else c for c in value) for value in values]


def check(before, after, column, *, exact_schema=True):
    assert after.schema.equals(before.schema, check_metadata=True) or not exact_schema
    assert after.column(column).to_pylist() == upper(before.column(column).to_pylist())
    after.validate(full=True)
    assert after.drop_columns(column).equals(before.drop_columns(column))


@pytest.mark.parametrize("batch_bytes", [1, 1 << 22])
def test_views_of_texts_may_have_nulls_among_them(tmp_path, capitals, table, batch_bytes):
    table = table.select(["view", "id"]).slice(0, 60)
    feather.write_feather(table, tmp_path / "a.arrow", compression="uncompressed")
    target, _ = capitals(tmp_path / "a.arrow", column="view", batch_bytes=batch_bytes)
    check(feather.read_table(tmp_path / "a.arrow"), feather.read_table(target), "view")


@pytest.mark.parametrize("column", ["text", "large", "coded"])
@pytest.mark.parametrize("batch_bytes", [1000, 1 << 22])
def test_parquet_keeps_all_else(tmp_path, capitals, table, column, batch_bytes):
    table = table.drop_columns("view")
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=300, compression={"id": "none", column: "zstd"})
    target, source = capitals(tmp_path / "a.parquet", column=column, batch_bytes=batch_bytes)
    check(pq.read_table(tmp_path / "a.parquet"), pq.read_table(target), column)
    group = pq.read_metadata(target).row_group(0)
    assert {group.column(place).path_in_schema: group.column(place).compression for place in range(4)}[column] == "ZSTD"
    assert "which records have no text" in source.reveals
    assert any(reveal.startswith("columns unchanged: ") and "nested" in reveal for reveal in source.reveals)
    assert "the schema's metadata, unchanged" in source.reveals


@pytest.mark.parametrize("column", ["text", "large", "view", "coded"])
@pytest.mark.parametrize("compression", ["lz4", "uncompressed"])
def test_feather_keeps_all_else(tmp_path, capitals, table, column, compression):
    feather.write_feather(table, tmp_path / "a.feather", chunksize=300, compression=compression)
    target, _ = capitals(tmp_path / "a.feather", column=column, batch_bytes=1000)
    check(table, feather.read_table(target), column)


def test_arrow_streams_stay_streams(tmp_path, capitals, table):
    with pa.ipc.new_stream(str(tmp_path / "a.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=300)
    target, _ = capitals(tmp_path / "a.arrow", column="coded")
    check(table, pa.ipc.open_stream(target.read_bytes()).read_all(), "coded")


def test_a_dictionary_may_come_to_need_a_wider_index(tmp_path, capitals):
    small = pa.array(["one", "two"] * 300).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    pq.write_table(pa.table({"t": small}), tmp_path / "a.parquet")
    feather.write_feather(pa.table({"t": small}), tmp_path / "a.feather", chunksize=50)

    def different(texts):
        from textveil.hashing import Packed

        different.count = getattr(different, "count", 0) + len(texts)
        return Packed.of([b"text %d" % number for number in range(different.count - len(texts), different.count)])

    target, _ = capitals(tmp_path / "a.parquet", column="t", work=different)
    assert pq.read_table(target)["t"].to_pylist() == [f"text {number}" for number in range(600)]
    different.count = 0
    target, _ = capitals(tmp_path / "a.feather", column="t", work=different)
    read = feather.read_table(target)["t"]
    assert read.to_pylist() == [f"text {number}" for number in range(600)]
    assert read.type == pa.dictionary(pa.int32(), pa.string())


def test_the_old_dictionary_is_not_in_the_output(tmp_path, capitals):
    column = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int32()), pa.array(["used", "canary"]))
    for name, write in (("a.parquet", pq.write_table), ("a.feather", feather.write_feather)):
        write(pa.table({"t": column}), tmp_path / name)
        target, _ = capitals(tmp_path / name, column="t")
        assert b"canary" not in target.read_bytes().lower()


def test_slices_and_tables_without_rows(tmp_path, capitals, table):
    empty = table.drop_columns("view").slice(0, 0)
    pq.write_table(empty, tmp_path / "a.parquet")
    target, _ = capitals(tmp_path / "a.parquet", column="text")
    assert pq.read_table(target).num_rows == 0
    feather.write_feather(empty, tmp_path / "a.feather")
    target, _ = capitals(tmp_path / "a.feather", column="text")
    assert feather.read_table(target).schema == empty.schema
    nulls = pa.table({"t": pa.array([None, None], pa.string())})
    pq.write_table(nulls, tmp_path / "b.parquet")
    target, _ = capitals(tmp_path / "b.parquet", column="t")
    assert pq.read_table(target).equals(nulls)


def test_columns_are_checked(tmp_path, capitals, table):
    pq.write_table(table.drop_columns("view"), tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match=r"no column 'body': .* text, large, coded, id"):
        capitals(tmp_path / "a.parquet", column="body")
    with pytest.raises(
        InvalidInputError, match=r"'id' of .* is int16, not string; columns of strings: text, large, coded"
    ):
        capitals(tmp_path / "a.parquet", column="id")


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather"])
@pytest.mark.parametrize("content", [b"", b"canary", b"PAR1 canary PAR1", b"ARROW1\0\0canary"])
def test_damaged_files_are_named_and_not_quoted(tmp_path, capitals, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInputError, match=f"{name} is not a whole") as caught:
        capitals(tmp_path / name, column="t")
    assert "canary" not in str(caught.value)


def test_a_cut_parquet_file_is_named(tmp_path, capitals, table):
    pq.write_table(table.select(["text"]), tmp_path / "a.parquet")
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(whole[:100] + bytes(50) + whole[150:])
    with pytest.raises(InvalidInputError, match="not a whole parquet"):
        capitals(tmp_path / "a.parquet", column="text")


def test_texts_of_a_table_are_packed_without_nulls(tmp_path, table):
    feather.write_feather(table.slice(1, 7), tmp_path / "a.feather")
    source = open_source(tmp_path / "a.feather", Format(Kind.FEATHER), Selection(column="text"))
    (batch,) = source.batches()
    assert batch.rows == 7
    assert len(batch.items) == 6 - 1 + 1 - 1 + 1 - (table.slice(1, 7)["text"].null_count - 1)
    assert batch.items.data.tobytes() == "".join(t for t in table.slice(1, 7)["text"].to_pylist() if t).encode()
