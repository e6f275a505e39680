"""How a released file is cut into batches, row groups, pages and members shows nothing of the private texts.

The works here release the same whatever they are given, so that whole files can be compared, byte by byte.
"""

from __future__ import annotations

import csv
import gzip
import json
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from textveil.files import arrow_sink, gzip_sink
from textveil.files.vector_output import Answered, Beside
from textveil.guarantees import Unit, local_privacy
from textveil.hashing import Packed
from textveil.jobs import RunInterrupted, plan
from textveil.jobs.traits import Traits

ROWS, DIMENSION = 3000, 4
SHORT = ["some words"] * ROWS
LONG = ['"yes", no, ' * 40 if row % 700 == 3 else f"{row}" for row in range(ROWS)]
TEXTS = {
    "text": pa.string(),
    "coded": pa.dictionary(pa.int32(), pa.string()),
    "view": pa.string_view(),
}


class Silent:
    """Releases texts that depend on the number of the record alone; `calls` of them, then it is interrupted."""

    takes = gives = None
    guarantee = local_privacy(1.0, unit=Unit.TEXT)
    purpose = bytes(32)
    traits = Traits()

    def __init__(self, calls=10**9):
        self.calls = calls

    def spec(self):
        return {"mechanism": "Silent"}

    def rows(self, items, source):
        self.calls -= 1
        if self.calls < 0:
            raise KeyboardInterrupt
        return range(source.row, source.row + len(items))

    def run(self, items, source):
        return Packed.of([b"text %d" % (row * row % 613) for row in self.rows(items, source)])


class SilentVectors(Silent):
    """Releases vectors with a text beside them."""

    gives = DIMENSION

    def __init__(self, calls=10**9, *, slow):
        super().__init__(calls)
        self.traits = Traits(slow=slow, beside={"public_text": Beside.TEXT, "public_index": Beside.NUMBER})

    def run(self, items, source):
        numbers = [row * row % 613 for row in self.rows(items, source)]
        vectors = np.repeat(np.array(numbers, dtype=np.float64).reshape(-1, 1), DIMENSION, axis=1)
        beside = {"public_text": [f"text {number}" for number in numbers], "public_index": numbers}
        return Answered(vectors, beside)


def write(path, texts):
    """Write texts beside a column that is public, in the format of the extension."""
    name = path.name.removesuffix(".gz")
    if name.endswith((".txt", ".csv", ".jsonl")):
        content = "".join(line + "\n" for line in texts)
        if name.endswith(".jsonl"):
            content = "".join(json.dumps({"id": row % 9, "text": text}) + "\n" for row, text in enumerate(texts))
        if name.endswith(".csv"):
            with path.with_name("rows").open("w+", newline="") as file:
                csv.writer(file).writerows([("id", "text"), *((row % 9, text) for row, text in enumerate(texts))])
                file.seek(0)
                content = file.read()
        path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())
        return
    kinds = pa.array([f"kind {row % 9}" for row in range(len(texts))]).dictionary_encode()
    kind = TEXTS[path.stem]
    table = pa.table({"kind": kinds, "text": pa.chunked_array([pa.array(texts).cast(kind)])})
    # Writers may well cut their own files by the lengths of texts, and give up dictionaries of texts that do not recur.
    rows, coded = (400, ["kind", "text"]) if texts is SHORT else (170, ["kind"])
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=rows, use_dictionary=coded)
    else:
        feather.write_feather(table, path, compression="uncompressed", chunksize=rows)


@pytest.fixture
def released(tmp_path, monkeypatch):
    """Release short or long texts and return the file; runs may be interrupted once in their middle."""
    monkeypatch.setattr(arrow_sink, "_ROW_GROUP_BYTES", 20_000)
    monkeypatch.setattr(arrow_sink, "_RECORD_BATCH_BYTES", 9_000)
    monkeypatch.setattr(gzip_sink, "_MEMBER_BYTES", 5_000)

    def release(texts, name, target, make, *, interrupt=False, batch_bytes=3000):
        folder = tmp_path / f"{texts is SHORT}-{interrupt}-{batch_bytes}"
        folder.mkdir()
        write(folder / name, texts)
        column = None if name.startswith("lines") else "text"
        options = {"column": column, "checkpoint_seconds": 0.0, "threads": 1, "batch_bytes": batch_bytes}
        if interrupt:
            with pytest.raises(RunInterrupted):
                plan(folder / name, folder / target, make(calls=4), **options).run()
        work = make()
        receipt = plan(folder / name, folder / target, work, **options).run().as_dict()
        del receipt["created"]
        return (folder / target).read_bytes(), receipt, 10**9 - work.calls

    return release


def compared(released, name, target, make):
    content, receipt, calls = released(SHORT, name, target, make)
    for texts, options in ((LONG, {}), (LONG, {"interrupt": True}), (LONG, {"batch_bytes": 1 << 20})):
        again = released(texts, name, target, make, **options)
        assert again[0] == content, "the file depends on the private texts, or on where the run stopped"
        assert again[1] == receipt
    return content, calls


@pytest.mark.parametrize("name", ["lines.txt.gz", "table.csv.gz", "table.csv", "objects.jsonl.gz", "objects.jsonl"])
def test_a_file_of_text_is_the_same_whatever_the_lengths_of_private_texts(released, name):
    content, calls = compared(released, name, "out." + name.partition(".")[2], Silent)
    assert calls > 5
    sizes = []
    while content and name.endswith(".gz"):
        member = zlib.decompressobj(31)
        sizes.append(len(member.decompress(content)))
        content = member.unused_data
    assert set(sizes[:-1]) <= {5_000}
    assert len(sizes) > 4 or not name.endswith(".gz")


@pytest.mark.parametrize("kind", ["parquet", "arrow", "feather"])
@pytest.mark.parametrize("column", TEXTS)
def test_a_table_of_texts_is_the_same_whatever_the_lengths_of_private_texts(released, kind, column):
    content, calls = compared(released, f"{column}.{kind}", f"out.{kind}", Silent)
    assert calls > 5
    assert len(groups_of(content, kind)) > 3


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("kind", ["parquet", "arrow", "feather", "npy"])
@pytest.mark.parametrize("name", ["lines.txt", "text.parquet"])
def test_a_file_of_vectors_is_the_same_whatever_the_lengths_of_private_texts(released, name, kind, slow):
    content, calls = compared(released, name, f"out.{kind}", lambda **more: SilentVectors(**more, slow=slow))
    assert calls > 5
    assert kind == "npy" or len(groups_of(content, kind)) > 3


def groups_of(content, kind):
    """Return the rows of each row group or record batch."""
    if kind == "parquet":
        facts = pq.ParquetFile(pa.BufferReader(content)).metadata
        return [facts.row_group(group).num_rows for group in range(facts.num_row_groups)]
    with pa.ipc.open_file(pa.BufferReader(content)) as file:
        return [file.get_batch(number).num_rows for number in range(file.num_record_batches)]
