"""Vectors through jobs: what a release costs beside its noise, and what each physical type costs."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import textveil as tv
from benchmarks.table import Table
from textveil.files.vector_columns import vector_column, vector_field
from textveil.hashing import Packed
from textveil.jobs import VectorOutput, plan

ROWS, DIMENSION = 40_000, 384
TEXT_BYTES = 20 << 20
REPEATS = 5


def core_seconds(work: Callable[[], object]) -> float:
    """The median CPU time of some runs, after one that is not counted."""
    times = []
    for _ in range(REPEATS + 1):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return float(np.median(times[1:]))


def types(table: Table, folder: Path, vectors: np.ndarray) -> None:
    """Write and read one column of float32 vectors in each physical type."""
    size, everyone = vectors.nbytes / 1e9, np.ones(len(vectors), dtype=bool)
    for packed, name in ((False, "parquet, fixed-size lists"), (True, "parquet, fixed-length bytes (--packed)")):
        field = vector_field("v", DIMENSION, vectors.dtype, packed=packed)
        column = pa.Table.from_arrays([vector_column(vectors, everyone, field.type)], schema=pa.schema([field]))
        written = folder / f"{packed}.parquet"
        wrote = core_seconds(lambda c=column, w=written: pq.write_table(c, w, compression="none", use_dictionary=False))
        read = core_seconds(lambda w=written: pq.read_table(w, use_threads=False))
        table.row(name, f"{size / wrote:.2f} / {size / read:.2f} GB/c-s", "write / read", f"{size * 1e3:.0f} MB")
    path = folder / "types.arrow"

    def write_ipc() -> None:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, lists.schema) as writer:
            writer.write_table(lists, max_chunksize=1000)

    def read_ipc() -> None:
        with pa.OSFile(str(path)) as file:
            pa.ipc.open_file(file).read_all()

    field = vector_field("v", DIMENSION, vectors.dtype, packed=False)
    lists = pa.Table.from_arrays([vector_column(vectors, everyone, field.type)], schema=pa.schema([field]))
    wrote, read = core_seconds(write_ipc), core_seconds(read_ipc)
    table.row("Arrow IPC, fixed-size lists", f"{size / wrote:.2f} / {size / read:.2f} GB/c-s", "write / read", "")
    array = folder / "types.npy"
    wrote, read = core_seconds(lambda: np.save(array, vectors)), core_seconds(lambda: np.load(array))
    table.row("npy", f"{size / wrote:.2f} / {size / read:.2f} GB/c-s", "write / read", "")


def releases(table: Table, folder: Path, vectors: np.ndarray) -> None:
    """Whole runs against the mechanism alone, in memory: the limit."""
    mechanism = tv.Laplace(epsilon=10.0, dimension=DIMENSION)
    limit = core_seconds(lambda: mechanism.release(vectors))
    table.row("noise alone, in memory", f"{ROWS / limit / 1e3:.0f} thousand rows/c-s", "1x", f"{ROWS:,} x {DIMENSION}")
    np.save(folder / "in.npy", vectors)
    pq.write_table(
        pa.table({"v": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMENSION)}), folder / "in.parquet"
    )
    runs = [("in.npy", "out.npy", False), ("in.parquet", "out.parquet", False), ("in.parquet", "out.parquet", True)]
    for source, target, packed in runs:
        column = None if source == "in.npy" else "v"
        options = {"column": column, "overwrite": True, "vectors": VectorOutput(packed=packed)}
        took = core_seconds(lambda s=source, t=target, o=options: plan(folder / s, folder / t, mechanism, **o).run())
        rate = f"{ROWS / took / 1e3:.0f} thousand rows/c-s, {vectors.nbytes / took / 1e9:.3f} GB/c-s"
        name = f"{source} to {target}" + (" --packed" if packed else "")
        table.row(name, rate, f"{limit / took:.2f} of the limit", f"{vectors.nbytes / 1e6:.0f} MB")


def texts(table: Table, folder: Path) -> None:
    """Averaged words alone, and a run from csv to parquet."""
    vocabulary = tv.Vocabulary.default()
    ranks = np.exp(np.random.default_rng(0).uniform(0, np.log(len(vocabulary)), size=TEXT_BYTES // 6)).astype(int)
    words = [vocabulary.words[min(rank, len(vocabulary) - 1)] for rank in ranks]
    lines = [" ".join(words[start : start + 40]).encode() for start in range(0, len(words), 40)]
    size, packed = sum(map(len, lines)) / 1e6, Packed.of(lines)
    encoder = tv.AveragedWords(vocabulary)
    took = core_seconds(lambda: encoder.encode(packed))
    work = f"{len(lines):,} texts of 40 words"
    table.row("averaged words, in memory", f"{size / took:.0f} MB/c-s", "1x", work)
    (folder / "in.csv").write_bytes(b"id,text\n" + b"".join(b'7,"' + line + b'"\n' for line in lines))
    for precision in ("fast", "exact"):
        mechanism = tv.Laplace(epsilon=10.0, dimension=encoder.dimension, precision=precision)
        embedder = tv.TextEmbedder(mechanism, encoder=encoder)
        files = folder / "in.csv", folder / "out.parquet"
        run = core_seconds(lambda e=embedder, f=files: plan(*f, e, column="text", overwrite=True).run())
        table.row(f"csv to parquet, {precision} noise", f"{size / run:.0f} MB/c-s", f"{took / run:.2f}x", work)


def main() -> None:
    table = Table("Vectors through jobs (embed)")
    vectors = np.random.default_rng(0).normal(size=(ROWS, DIMENSION)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        types(table, Path(folder), vectors)
        releases(table, Path(folder), vectors)
        texts(table, Path(folder))
    table.show()


if __name__ == "__main__":
    main()
