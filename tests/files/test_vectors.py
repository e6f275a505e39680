"""Vectors in npy, npz, parquet and Arrow, read in batches and written beside the other columns."""

from __future__ import annotations

import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from textveil.errors import InvalidInputError
from textveil.files import Format, Holds, Kind, Position, Selection, look, open_sink, open_source, shards_of
from textveil.files.vector_output import ReleasedVectors, VectorOutput

ROWS, DIMENSION = 700, 5
VECTORS = np.random.default_rng(0).normal(size=(ROWS, DIMENSION))


def opened(path, column=None, *, batch_bytes=1000, holds=Holds.VECTORS):
    return open_source(path, Format.of(path), Selection(column=column, holds=holds), batch_bytes=batch_bytes)


def read(source, start=None):
    items = [batch.items for batch in source.batches(start)]
    return np.concatenate(items) if items else np.empty((0, DIMENSION))


def lists(vectors, kind, nulls=()):
    rows = [None if row in nulls else vector.tolist() for row, vector in enumerate(vectors)]
    return pa.array(rows, kind)


def write(path, table):
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=300)
    elif path.suffix == ".arrow":
        with pa.ipc.new_stream(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=123)
    else:
        feather.write_feather(table, path, chunksize=123)
    return path


def copied(path, target, *, column=None, holds=Holds.VECTORS, work=None, **output):
    source = opened(path, column, holds=holds)
    form = Format.of(target)
    released = ReleasedVectors(
        source,
        form.kind,
        dimension=DIMENSION,
        output=VectorOutput(**output),
        describe=lambda reveals: {"said": " ".join(reveals)},
    )
    sink = open_sink(released, target, form)
    try:
        for batch in released.batches():
            sink.append(sink.pack(released.fill(batch, work(batch) if work else batch.items.astype(np.float64))))
        sink.finish()
    finally:
        sink.close()
    return released


@pytest.mark.parametrize("dtype", ["<f2", "<f4", "<f8", ">f4", "<i4", "u1"])
@pytest.mark.parametrize("name", ["a.npy", "a.npz", "packed.npz"])
def test_arrays_are_read_from_any_row(tmp_path, dtype, name):
    vectors = (50 + 10 * VECTORS).astype(dtype)
    save = {"a.npy": np.save, "a.npz": np.savez, "packed.npz": np.savez_compressed}[name]
    save(tmp_path / name, vectors)
    source = opened(tmp_path / name)
    assert (source.rows, source.dimension) == (ROWS, DIMENSION)
    assert np.array_equal(read(source), vectors)
    for row in (1, 399, ROWS):
        assert np.array_equal(read(source, Position(rows=row, items=row)), vectors[row:])


def test_an_array_of_an_npz_is_chosen_by_name(tmp_path):
    np.savez(tmp_path / "a.npz", one=VECTORS, two=VECTORS[:3])
    assert opened(tmp_path / "a.npz", "two").rows == 3
    assert opened(tmp_path / "a.npz", 1).rows == ROWS
    with pytest.raises(InvalidInputError, match="2 columns: one, two; say which one holds the vectors"):
        opened(tmp_path / "a.npz")
    np.save(tmp_path / "a.npy", VECTORS)
    with pytest.raises(InvalidInputError, match="one array without columns"):
        opened(tmp_path / "a.npy", "one")


KINDS = {
    "list": pa.list_(pa.float32()),
    "large": pa.large_list(pa.float64()),
    "fixed": pa.list_(pa.float32(), DIMENSION),
    "half": pa.list_(pa.float16(), DIMENSION),
    "whole": pa.list_(pa.int16()),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.feather"])
def test_columns_of_vectors_are_read_from_any_row(tmp_path, kind, name):
    nulls = {0, 5, 699}
    numbers = (100 * VECTORS).astype(np.int16) if kind == "whole" else VECTORS.astype(np.float16)
    table = pa.table({"id": range(ROWS), "v": lists(numbers, KINDS[kind], nulls)})
    source = opened(write(tmp_path / name, table), "v")
    assert source.dimension == DIMENSION
    there = np.array([row for row in range(ROWS) if row not in nulls])
    assert np.array_equal(read(source), numbers[there])
    middle = Position(rows=301, items=299)
    assert np.array_equal(read(source, middle), numbers[there[299:]])
    first = next(source.batches(middle))
    assert first.start == middle
    assert source.present(first).all()


def test_tensors_are_vectors_too(tmp_path):
    storage = lists(VECTORS, pa.list_(pa.float64(), DIMENSION))
    tensors = pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.float64(), [DIMENSION]), storage)
    source = opened(write(tmp_path / "a.feather", pa.table({"v": tensors})))
    assert np.array_equal(read(source), VECTORS)


@pytest.mark.parametrize(
    ("target", "packed"), [("b.parquet", False), ("b.parquet", True), ("b.arrow", False), ("b.feather", False)]
)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_vectors_are_written_in_their_place_beside_the_others(tmp_path, target, packed, dtype):
    nulls = {3, 4}
    table = pa.table({"id": range(ROWS), "v": lists(VECTORS, pa.list_(pa.float64()), nulls), "s": ["x"] * ROWS})
    path = write(tmp_path / "a.parquet", table.replace_schema_metadata({"owner": "someone"}))
    released = copied(path, tmp_path / target, column="v", packed=packed, dtype=dtype)
    assert released.reveals == ("which records are missing (null)", "columns unchanged: id, s")
    load = pq.read_table if target.endswith("parquet") else feather.read_table
    written = load(tmp_path / target)
    assert written.column_names == ["id", "v", "s"]
    assert written.drop_columns("v").equals(table.drop_columns("v"))
    assert written.schema.metadata == {b"said": b"which records are missing (null) columns unchanged: id, s"}
    assert [row for row, vector in enumerate(written["v"].to_pylist()) if vector is None] == [3, 4]
    expected = np.delete(VECTORS, [3, 4], axis=0).astype(dtype)
    assert np.array_equal(read(opened(tmp_path / target, "v")), expected)
    if packed:
        assert written.schema.field("v").type == pa.binary(DIMENSION * np.dtype(dtype).itemsize)
    else:
        assert np.array_equal(np.array(written["v"].drop_null().to_pylist(), dtype=dtype), expected)


@pytest.mark.parametrize("target", ["b.arrow", "b.feather", "b.npy"])
def test_only_parquet_is_packed(tmp_path, target):
    path = write(tmp_path / "a.parquet", pa.table({"v": lists(VECTORS, pa.list_(pa.float64()))}))
    with pytest.raises(InvalidInputError, match="packed vectors are for parquet"):
        copied(path, tmp_path / target, column="v", packed=True)


def test_columns_of_text_that_stay_are_named_however_deep(tmp_path):
    deep = pa.array([[{"a": "x"}]], pa.list_(pa.struct([("a", pa.string())])))
    table = pa.table({"id": [1], "deep": deep, "v": [[1.0, 2.0]], "kind": pa.array(["x"]).dictionary_encode()})
    write(tmp_path / "a.parquet", table)
    assert opened(tmp_path / "a.parquet", "v").kept_texts == ("deep", "kind")
    (tmp_path / "a.jsonl").write_text('{"text": "w", "n": 1, "more": {"b": ["c"]}}\n{"text": "w", "late": "x"}\n')
    selection = Selection(column="text")
    assert open_source(tmp_path / "a.jsonl", Format.named("jsonl"), selection).kept_texts == ("more", "late")
    (tmp_path / "a.csv").write_text("id,text\n1,w\n")
    assert open_source(tmp_path / "a.csv", Format.named("csv"), selection).kept_texts == ("id",)


def test_bytes_that_no_one_calls_vectors_are_not_taken_for_such(tmp_path):
    ids = pa.array([bytes(16)] * 3, pa.binary(16))
    write(tmp_path / "a.parquet", pa.table({"uuid": ids}))
    with pytest.raises(InvalidInputError, match=r"fixed_size_binary\[16\], not lists of numbers; .* none"):
        opened(tmp_path / "a.parquet", "uuid")


def test_npy_is_what_numpy_reads_and_can_be_cut_back(tmp_path):
    np.save(tmp_path / "a.npy", VECTORS)
    copied(tmp_path / "a.npy", tmp_path / "b.npy")
    written = np.load(tmp_path / "b.npy", mmap_mode="r")
    assert written.dtype == np.float32
    assert np.array_equal(written, VECTORS.astype(np.float32))
    source = opened(tmp_path / "a.npy")
    released = ReleasedVectors(
        source, Kind.NPY, dimension=DIMENSION, output=VectorOutput(dtype="float64"), describe=lambda reveals: {}
    )
    batches = list(source.batches())
    sink = open_sink(released, tmp_path / "c.npy", Format(Kind.NPY))
    sink.append(released.fill(batches[0], batches[0].items))
    size = sink.sync(batches[0].position).size
    sink.append(released.fill(batches[1], batches[1].items)[:13])
    sink.close()
    sink = open_sink(released, tmp_path / "c.npy", Format(Kind.NPY), keep=size)
    for batch in batches[1:]:
        sink.append(released.fill(batch, batch.items))
    sink.finish()
    assert np.array_equal(np.load(tmp_path / "c.npy"), VECTORS)


def test_numbers_too_large_for_a_file_become_its_largest(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1e6, -1e6, 1.0, 0.0, 2.0]]))
    copied(tmp_path / "a.npy", tmp_path / "b.npy", dtype="float16")
    assert np.load(tmp_path / "b.npy").tolist() == [[65504.0, -65504.0, 1.0, 0.0, 2.0]]
    with pytest.raises(InvalidInputError, match="dtype must be one of float16, float32, float64"):
        VectorOutput(dtype="int8")


def one_each(batch):
    return np.arange(len(batch.items) * DIMENSION, dtype=float).reshape(-1, DIMENSION) + batch.start.items * DIMENSION


def test_texts_of_csv_become_vectors_beside_the_other_fields(tmp_path):
    rows = [f'{row:03d},"text, {row}","say ""{row}""\nand more"' for row in range(ROWS)]
    (tmp_path / "a.csv").write_text("id,text,note\n" + "\n\n".join(rows) + "\n")
    released = copied(tmp_path / "a.csv", tmp_path / "b.parquet", column="text", holds=Holds.TEXTS, work=one_each)
    table = pq.read_table(tmp_path / "b.parquet")
    assert table.column_names == ["id", "embedding", "note"]
    assert table["id"].to_pylist() == [f"{row:03d}" for row in range(ROWS)]
    assert table["note"].to_pylist() == [f'say "{row}"\nand more' for row in range(ROWS)]
    assert table["embedding"].to_pylist() == np.arange(ROWS * DIMENSION).reshape(ROWS, DIMENSION).tolist()
    assert released.reveals == ("columns unchanged: id, note",)
    alone = copied(
        tmp_path / "a.csv", tmp_path / "c.parquet", column="text", holds=Holds.TEXTS, work=one_each, only=True
    )
    assert pq.read_table(tmp_path / "c.parquet").column_names == ["embedding"]
    assert alone.reveals == ()


def test_texts_of_jsonl_become_vectors_and_missing_ones_null(tmp_path):
    lines = ['{"text": "a", "n": 1, "when": "2020-01-01 00:00:00"}', '{"n": null}', "", '{"n": 3, "text": null}']
    lines += ['{"text": "b", "n": 4, "deep": {"x": [1.5]}}'] * 300
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    copied(tmp_path / "a.jsonl", tmp_path / "b.arrow", column="text", holds=Holds.TEXTS, work=one_each)
    table = feather.read_table(tmp_path / "b.arrow")
    assert table["n"].to_pylist()[:4] == [1, None, 3, 4]
    assert table["when"].to_pylist()[:2] == ["2020-01-01 00:00:00", None]
    assert table["deep"].to_pylist()[-1] == {"x": [1.5]}
    assert [vector is None for vector in table["embedding"].to_pylist()[:4]] == [False, True, True, False]
    with pytest.raises(InvalidInputError, match="record 2 is null, which npy can't hold"):
        copied(tmp_path / "a.jsonl", tmp_path / "b.npy", column="text", holds=Holds.TEXTS, work=one_each)


def test_other_keys_that_change_their_type_are_told_without_quoting(tmp_path):
    first = '{"text": "a", "n": 1}\n' * 5000
    (tmp_path / "a.jsonl").write_text(first + '{"text": "a", "n": "canary"}\n')
    with pytest.raises(InvalidInputError, match=r"records \d+ to 5001: .*--vectors-only") as caught:
        copied(tmp_path / "a.jsonl", tmp_path / "b.parquet", column="text", holds=Holds.TEXTS, work=one_each)
    assert "canary" not in str(caught.value)


def test_a_column_called_as_the_vectors_are_is_not_overwritten(tmp_path):
    (tmp_path / "a.csv").write_text("embedding,text\n1,a\n")
    with pytest.raises(InvalidInputError, match="another column 'embedding'"):
        copied(tmp_path / "a.csv", tmp_path / "b.parquet", column="text", holds=Holds.TEXTS, work=one_each)


def test_hostile_numbers_are_told_by_record(tmp_path):
    for value in (np.nan, np.inf, -np.inf):
        vectors = VECTORS.copy()
        vectors[612, 2] = value
        np.save(tmp_path / "a.npy", vectors)
        write(tmp_path / "a.parquet", pa.table({"v": lists(vectors, pa.list_(pa.float64()), {1, 2})}))
        for name in ("a.npy", "a.parquet"):
            with pytest.raises(InvalidInputError, match=f"{name}, record 613: its vector has a NaN or an infinity"):
                read(opened(tmp_path / name))
    rows = [[1.0, 2.0]] * 4
    for bad, message in (([1.0], "has 1 numbers, but others have 2"), ([1.0, None], "a number of its vector is null")):
        write(tmp_path / "b.parquet", pa.table({"v": [*rows, bad]}))
        with pytest.raises(InvalidInputError, match=f"record 5: .*{message}"):
            read(opened(tmp_path / "b.parquet"))
    write(tmp_path / "b.parquet", pa.table({"v": pa.array([[], []], pa.list_(pa.float32()))}))
    with pytest.raises(InvalidInputError, match="vectors without numbers"):
        opened(tmp_path / "b.parquet")


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([["canary"]], dtype=object), "of Python objects, which are never unpickled"),
        (np.zeros(4), r"of shape \(4,\)"),
        (np.zeros((2, 2, 2)), r"of shape \(2, 2, 2\)"),
        (np.zeros((3, 0)), r"of shape \(3, 0\)"),
        (np.asfortranarray(VECTORS), "in Fortran order"),
        (np.zeros((2, 2), dtype=complex), "of complex128"),
        (np.zeros(3, dtype=[("x", float)]), "of "),
        (np.array([["a"]]), "of <U1"),
    ],
)
def test_arrays_that_are_no_table_of_numbers_are_refused(tmp_path, array, message):
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    np.savez(tmp_path / "a.npz", array)
    for name in ("a.npy", "a.npz"):
        with pytest.raises(InvalidInputError, match=message) as caught:
            opened(tmp_path / name)
        assert "canary" not in str(caught.value)


def test_damaged_arrays_are_named(tmp_path):
    np.save(tmp_path / "a.npy", VECTORS)
    np.savez_compressed(tmp_path / "a.npz", VECTORS)
    for name in ("a.npy", "a.npz"):
        whole = (tmp_path / name).read_bytes()
        half = whole[: len(whole) // 2]
        for content in (b"", b"\x93NUMPY\x01\x00\xff", half, b"PK\x03\x04" + bytes(300), b"canary" * 100):
            (tmp_path / name).write_bytes(content)
            with pytest.raises(InvalidInputError, match=f"{name} is not a whole np[yz] file"):
                read(opened(tmp_path / name))
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("readme.txt", "canary")
    with pytest.raises(InvalidInputError, match="a zip file without arrays"):
        opened(tmp_path / "b.npz")


def test_a_look_tells_texts_from_vectors(tmp_path):
    np.save(tmp_path / "a.npy", VECTORS)
    write(
        tmp_path / "a.parquet",
        pa.table({"t": ["x"], "v": [[1.0, 2.0]], "n": [1], "none": lists(VECTORS[:1], pa.list_(pa.float32()), {0})}),
    )
    (tmp_path / "a.csv").write_text("t\nx\n")
    assert look(shards_of(tmp_path / "a.npy"), Selection()).dimension == DIMENSION
    assert look(shards_of(tmp_path / "a.csv"), Selection(column="t")).holds is Holds.TEXTS
    assert look(shards_of(tmp_path / "a.parquet"), Selection(column="t")).holds is Holds.TEXTS
    assert look(shards_of(tmp_path / "a.parquet"), Selection(column="v")).dimension == 2
    with pytest.raises(InvalidInputError, match=r"'n' of .* is int64, not lists of numbers"):
        look(shards_of(tmp_path / "a.parquet"), Selection(column="n"))
    with pytest.raises(InvalidInputError, match="no vector in the input"):
        look(shards_of(tmp_path / "a.parquet"), Selection(column="none"))
    with pytest.raises(InvalidInputError, match="npy, which holds no texts"):
        opened(tmp_path / "a.npy", holds=Holds.TEXTS)
