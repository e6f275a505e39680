"""Runs that give vectors: from texts, from vectors, in every format, stopped and gone on with."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import textveil as tv
from textveil.errors import InvalidInputError
from textveil.jobs import RunInterrupted, VectorOutput, plan, verify
from textveil.jobs.receipt import FileReceipt, receipt_path
from textveil.mechanisms.directions import Directions

ROWS, DIMENSION = 600, 12
VECTORS = np.random.default_rng(0).normal(size=(ROWS, DIMENSION)).astype(np.float32)
OPTIONS = {"batch_bytes": 2000, "checkpoint_seconds": 0.0, "threads": 1}


@pytest.fixture(scope="module")
def laplace():
    return tv.Laplace(epsilon=1e6, dimension=DIMENSION, precision="exact")


@pytest.fixture(scope="module")
def embedder(clustered, laplace):
    return tv.TextEmbedder(laplace, encoder=tv.AveragedWords(clustered))


@pytest.fixture
def array(tmp_path):
    np.save(tmp_path / "in.npy", VECTORS)
    return tmp_path / "in.npy"


def vectors_in(path):
    if path.suffix == ".npy":
        return np.load(path)
    table = pq.read_table(path) if path.suffix == ".parquet" else feather.read_table(path)
    return np.array(table["embedding"].to_pylist(), dtype=np.float32)


def test_a_file_without_any_vector_is_one_of_many(tmp_path, laplace):
    (tmp_path / "in").mkdir()
    kind = pa.list_(pa.float32())
    for name, rows in (("a", list(VECTORS[:3])), ("b", [None, None]), ("c", [])):
        pq.write_table(pa.table({"embedding": pa.array(rows, kind)}), tmp_path / "in" / f"{name}.parquet")
    receipt = plan(tmp_path / "in", tmp_path / "out", laplace).run()
    assert (receipt.rows, receipt.items) == (5, 3)
    assert pq.read_table(tmp_path / "out" / "b.parquet")["embedding"].to_pylist() == [None, None]
    assert pq.read_table(tmp_path / "out" / "c.parquet").num_rows == 0


@pytest.mark.parametrize("name", ["out.npy", "out.parquet", "out.arrow", "out.feather"])
def test_vectors_are_released_near_the_originals_with_a_receipt(tmp_path, array, laplace, name):
    receipt = plan(array, tmp_path / name, laplace).run()
    released = vectors_in(tmp_path / name)
    assert np.allclose(released, VECTORS, atol=1e-3)
    assert not np.array_equal(released, VECTORS)
    assert {path.name for path in tmp_path.iterdir()} == {"in.npy", name, name + ".receipt.json"}
    assert FileReceipt.load(receipt_path(tmp_path / name)) == receipt
    assert (receipt.rows, receipt.items) == (ROWS, ROWS)
    assert receipt.vectors == {"dimension": DIMENSION, "dtype": "float32"}
    found = verify(tmp_path / name)
    assert found.ok
    assert f"600 records in {name}" in str(found)
    assert f"12 numbers in a vector of {name}" in str(found)


def test_texts_become_vectors_and_are_not_in_the_output(tmp_path, clustered, embedder):
    (tmp_path / "in.csv").write_text("id,text\n" + "".join(f"{row},w{row} w{row + 1} xcanaryx\n" for row in range(500)))
    receipt = plan(tmp_path / "in.csv", tmp_path / "out.parquet", embedder, column="text").run()
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.column_names == ["id", "embedding"]
    points = clustered.block(0, 600)
    means = (points[:500] + points[1:501] + points[0]) / 3
    assert np.allclose(table["embedding"].to_pylist(), means, atol=1e-3)
    content = (tmp_path / "out.parquet").read_bytes() + receipt_path(tmp_path / "out.parquet").read_bytes()
    assert b"canary" not in content
    assert "columns unchanged: id" in receipt.guarantee.reveals
    assert "the number and order of the records" in receipt.guarantee.reveals
    assert verify(tmp_path / "out.parquet").ok


@pytest.mark.parametrize("name", ["out.parquet", "out.arrow"])
def test_the_promise_is_in_the_file_itself(tmp_path, array, laplace, name):
    receipt = plan(array, tmp_path / name, laplace).run()
    schema = pq.read_schema(tmp_path / name) if name == "out.parquet" else feather.read_table(tmp_path / name).schema
    assert schema.metadata[b"textveil.guarantee"].decode() == receipt.statement
    told = json.loads(schema.metadata[b"textveil.release"])
    assert told["mechanism"] == receipt.mechanism
    assert told["guarantee"]["epsilon"] == receipt.guarantee.epsilon


MECHANISMS = [
    tv.Laplace(epsilon=3.0, dimension=DIMENSION),
    tv.Gaussian(epsilon=1.0, delta=1e-6, sensitivity=1.0, dimension=DIMENSION),
    tv.PrivUnit(epsilon=4.0, dimension=DIMENSION, clip=1.0),
    tv.PrivEmb(epsilon=3.0, dimension=DIMENSION, target=4, certify="operator"),
    tv.Mahalanobis(np.diag(np.arange(1.0, DIMENSION + 1)), epsilon=3.0),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: type(mechanism).__name__)
def test_every_vector_mechanism_runs_and_repeats_under_its_key(tmp_path, array, mechanism):
    outputs = []
    for number, batch_bytes in enumerate((2000, 1 << 20)):
        target = tmp_path / f"out{number}.npy"
        plan(array, target, mechanism, key_file=tmp_path / "key", batch_bytes=batch_bytes).run()
        outputs.append(np.load(target))
        assert verify(target).ok
    assert np.array_equal(outputs[0], outputs[1])
    source = tv.RandomSource.keyed((tmp_path / "key").read_bytes())
    expected = mechanism.release(VECTORS.astype(np.float64), source=source)
    assert np.array_equal(outputs[0], expected.astype(np.float32))


class Stopping:
    """Stops a run in its middle, once."""

    def __init__(self, work, after):
        self._work, self._left = work, after

    def __getattr__(self, name):
        return getattr(self._work, name)

    def run(self, items, source):
        self._left -= 1
        if self._left == 0:
            raise KeyboardInterrupt
        return self._work.run(items, source)


@pytest.mark.parametrize("source", ["in.npy", "in.npz", "in.parquet", "in.jsonl"])
@pytest.mark.parametrize("target", ["out.npy", "out.parquet", "out.arrow"])
def test_a_stopped_run_goes_on_and_gives_the_same_bytes(tmp_path, clustered, embedder, laplace, source, target):
    from textveil.jobs.work import work_of

    column, work = None, laplace
    if source == "in.npy":
        np.save(tmp_path / source, VECTORS)
    elif source == "in.npz":
        np.savez_compressed(tmp_path / source, v=VECTORS)
    elif source == "in.parquet":
        column = "v"
        pq.write_table(pa.table({"v": list(VECTORS), "id": range(ROWS)}), tmp_path / source, row_group_size=100)
    else:
        column, work = "text", embedder
        (tmp_path / source).write_text("".join(f'{{"text": "w{row} w3", "id": {row}}}\n' for row in range(ROWS)))
    key = {"key_file": tmp_path / "key", "column": column}
    plan(tmp_path / source, tmp_path / ("whole-" + target), work, **key, **OPTIONS).run()
    with pytest.raises(RunInterrupted):
        plan(tmp_path / source, tmp_path / target, Stopping(work_of(work), 6), **key, **OPTIONS).run()
    assert not (tmp_path / target).exists()
    journal = (tmp_path / (target + ".partial") / "journal").read_bytes()
    assert (b'"position"' in journal) == (target == "out.npy")
    # Other batches must not change the noise, nor lose or double a row.
    receipt = plan(tmp_path / source, tmp_path / target, work, **key, batch_bytes=3000).run()
    assert receipt.rows == ROWS
    if target == "out.npy":
        assert (tmp_path / target).read_bytes() == (tmp_path / ("whole-" + target)).read_bytes()
    else:
        load = pq.read_table if target == "out.parquet" else feather.read_table
        assert load(tmp_path / target).equals(load(tmp_path / ("whole-" + target)), check_metadata=True)


def test_a_folder_of_shards_is_mirrored_as_files_of_vectors(tmp_path, embedder, laplace):
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.csv").write_text("text,id\nw1,1\nw2,2\n")
    (folder / "deep" / "b.jsonl").write_text('{"text": "w1"}\n')
    pq.write_table(pa.table({"text": ["w1", None]}), folder / "c.parquet")
    np.save(folder / "left-out.npy", VECTORS)
    receipt = plan(folder, tmp_path / "out", embedder, column="text").run()
    assert [file.name for file in receipt.files] == ["a.parquet", "c.parquet", "deep/b.parquet"]
    assert (receipt.rows, receipt.items) == (5, 4)
    assert verify(tmp_path / "out").ok
    assert "which records are missing (null)" in receipt.guarantee.reveals
    (folder / "a.jsonl").write_text('{"text": "w1"}\n')
    with pytest.raises(InvalidInputError, match=r"both be written as a.parquet"):
        plan(folder, tmp_path / "other", embedder, column="text")
    arrays = tmp_path / "arrays"
    arrays.mkdir()
    np.save(arrays / "1.npy", VECTORS)
    np.savez(arrays / "2.npz", VECTORS)
    receipt = plan(arrays, tmp_path / "released", laplace).run()
    assert [file.name for file in receipt.files] == ["1.npy", "2.npy"]
    assert not np.array_equal(np.load(tmp_path / "released" / "1.npy"), np.load(tmp_path / "released" / "2.npy"))
    assert verify(tmp_path / "released").ok


def test_standard_input_becomes_vectors(tmp_path, embedder, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "w1", "id": 1}\n' * 3000)))
    receipt = plan("-", tmp_path / "out.parquet", embedder, column="text", format="jsonl", batch_bytes=5000).run()
    assert receipt.rows == 3000
    assert pq.read_table(tmp_path / "out.parquet")["id"].to_pylist() == [1] * 3000


def test_a_preview_tells_dimension_and_loss_and_draws_nothing(tmp_path, array, laplace, embedder, monkeypatch):
    monkeypatch.setattr(tv.RandomSource, "streams", None)
    preview = plan(array, tmp_path / "out.npy", laplace).preview()
    assert (preview.rows, preview.rows_are_exact, preview.dimension) == (ROWS, True, DIMENSION)
    assert "1e+06 nats for each unit of distance" in str(preview)
    (tmp_path / "in.txt").write_text("w1 w2\nw3\n")
    local = tv.TextEmbedder(tv.PrivUnit(epsilon=4.0, dimension=DIMENSION), encoder=embedder.encoder)
    preview = plan(tmp_path / "in.txt", tmp_path / "out.npy", local).preview()
    assert preview.loss == 4.0
    assert "4 nats at most, between any two records" in str(preview)
    assert preview.words is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.npy", "in.txt"]


def test_what_makes_no_sense_is_refused_before_anything_is_written(tmp_path, array, clustered, laplace, embedder):
    (tmp_path / "in.txt").write_text("w1\n")
    refused = {
        r"vectors can't be written to out.csv.*\.parquet, \.arrow": (array, "out.csv", laplace),
        "vectors can't be written to standard output": (array, "-", laplace),
        "vectors can't be written to out;": (array, "out", laplace),
        "have 12 numbers, but the mechanism takes 3": (array, "out.npy", tv.Laplace(epsilon=1.0, dimension=3)),
        "npy, which holds no texts": (array, "out.npy", embedder),
        "txt, which holds no vectors": (tmp_path / "in.txt", "out.npy", laplace),
        "Exponential can't release files": (array, "out.npy", tv.Exponential(clustered, epsilon=1.0)),
    }
    for message, (source, target, work) in refused.items():
        with pytest.raises(InvalidInputError, match=message):
            plan(source, target if target == "-" else tmp_path / target, work)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.npy", "in.txt"]


def test_a_vector_that_the_mechanism_refuses_is_told_by_its_records(tmp_path):
    vectors = np.eye(DIMENSION)[np.arange(ROWS) % DIMENSION]
    vectors[450] = 0
    np.save(tmp_path / "in.npy", vectors)
    sphere = tv.PrivUnit(epsilon=1.0, dimension=DIMENSION, domain="sphere")
    with pytest.raises(InvalidInputError, match=r"record 451 of the input: .*zero vector"):
        plan(tmp_path / "in.npy", tmp_path / "out.npy", sphere, batch_bytes=10_000, checkpoint_seconds=1e9).run()
    assert [path.name for path in tmp_path.iterdir()] == ["in.npy"]
    vectors[450] = 1
    rows = [None, None, *vectors, np.zeros(DIMENSION), np.zeros(DIMENSION)]
    pq.write_table(pa.table({"v": rows}), tmp_path / "in.parquet")
    directions = Directions(tv.Laplace(epsilon=1.0, dimension=DIMENSION, normalise=True))
    with pytest.raises(InvalidInputError, match=r"record 603 of the input: a vector of zeros"):
        plan(tmp_path / "in.parquet", tmp_path / "out.parquet", directions).run()


def test_a_run_is_not_gone_on_with_in_another_number_format(tmp_path, array, laplace):
    from textveil.jobs.work import work_of

    with pytest.raises(RunInterrupted):
        plan(array, tmp_path / "out.npy", Stopping(work_of(laplace), 4), **OPTIONS).run()
    with pytest.raises(InvalidInputError, match="vectors was"):
        plan(array, tmp_path / "out.npy", laplace, vectors=VectorOutput(dtype="float64")).run()


def test_an_edited_dimension_or_file_is_found(tmp_path, array, laplace):
    plan(array, tmp_path / "out.npy", laplace).run()
    path = receipt_path(tmp_path / "out.npy")
    plain = json.loads(path.read_text())
    path.write_text(json.dumps({**plain, "vectors": {"dimension": 11, "dtype": "float32"}}))
    assert "12 numbers in a vector of out.npy, but the receipt says 11" in str(verify(tmp_path / "out.npy"))
    path.write_text(json.dumps(plain))
    content = bytearray((tmp_path / "out.npy").read_bytes())
    content[-1] ^= 1
    (tmp_path / "out.npy").write_bytes(content)
    assert not verify(tmp_path / "out.npy").ok


def test_tables_without_rows_stay_so(tmp_path, laplace):
    np.save(tmp_path / "in.npy", np.zeros((0, DIMENSION)))
    for name in ("out.npy", "out.parquet", "out.arrow"):
        assert plan(tmp_path / "in.npy", tmp_path / name, laplace).run().rows == 0
        assert verify(tmp_path / name).ok
    assert np.load(tmp_path / "out.npy").shape == (0, DIMENSION)
