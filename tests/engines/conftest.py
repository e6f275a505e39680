"""One Ray for all tests, folders of files, and works that misbehave.

Works that are made for a test are classes inside functions: Ray sends those to its workers as they are, and a worker
need not be able to import the test.
"""

from __future__ import annotations

import gzip
import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import textveil as tv
from textveil.engines.ray import RayEngine
from textveil.jobs import plan
from textveil.jobs.work import work_of

KEY = bytes(range(100, 132))
WORKERS = 4


@pytest.fixture(scope="session")
def ray():
    """A Ray of four workers, as the engine itself would start one, that believes in two GPUs."""
    pytest.importorskip("ray")
    with RayEngine(workers=WORKERS)._connected(num_gpus=2) as ray:
        yield ray


@pytest.fixture(scope="session")
def rewriter(clustered):
    return tv.TextRewriter(tv.Exponential(clustered, epsilon=2.0, radius=3.0))


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "key"
    path.write_bytes(KEY)
    path.chmod(0o600)
    return path


def lines(count, seed):
    rng = np.random.default_rng(seed)
    return [" ".join(f"w{k}" for k in rng.integers(620, size=rng.integers(0, 20))) for _ in range(count)]


@pytest.fixture
def texts(tmp_path):
    """A folder of texts in every kind of file, of several sizes, one of them deeper."""
    folder = tmp_path / "texts"
    (folder / "deeper").mkdir(parents=True)
    table = pa.table({"id": np.arange(900), "text": lines(900, 1)})
    pq.write_table(table, folder / "a.parquet", row_group_size=200)
    feather.write_feather(table.slice(0, 500), folder / "b.arrow", compression="uncompressed", chunksize=100)
    objects = "".join(json.dumps({"text": line, "id": 3}) + "\n" for line in lines(300, 2))
    (folder / "c.jsonl").write_text(objects)
    (folder / "deeper" / "d.jsonl.gz").write_bytes(gzip.compress(objects[: len(objects) // 3].encode() + b"\n"))
    (folder / "e.csv").write_text("id,text\n" + "".join(f"5,{line}\n" for line in lines(200, 3)))
    return folder


@pytest.fixture
def vectors(tmp_path):
    folder = tmp_path / "vectors"
    folder.mkdir()
    rng = np.random.default_rng(4)
    for number, rows in enumerate((300, 1500, 700, 0)):
        numbers = pa.array(rng.normal(size=rows * 16).astype(np.float32))
        table = pa.table({"id": np.arange(rows), "embedding": pa.FixedSizeListArray.from_arrays(numbers, 16)})
        pq.write_table(table, folder / f"part-{number}.parquet")
    return folder


@pytest.fixture
def released(key_file):
    """Release a folder, in small batches, and return its files and receipt."""

    def release(source, target, work, **options):
        column = "embedding" if source.name == "vectors" else "text"
        job = plan(source, target, work, column=column, key_file=key_file, batch_bytes=4096, **options)
        receipt = job.run().as_dict()
        del receipt["created"]
        assert not target.with_name(target.name + ".partial").exists()
        return content_of(target), receipt

    return release


def content_of(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def hostile(work, folder, *, deaths=0, error=None, pause=0.0):
    """Return a work that kills its process, or raises, in the middle of a file, `deaths` times in all.

    Its spec and its noise are those of the work that it is made from.
    """

    @dataclass(frozen=True)
    class Hostile:
        work: Any
        folder: Path
        takes: Any
        gives: Any
        guarantee: Any
        purpose: bytes

        def spec(self):
            return self.work.spec()

        def words(self, items):
            return self.work.words(items)

        def run(self, items, source):
            import time

            time.sleep(pause)
            middle = source.row % (1 << 40) > 0
            if middle and error is not None:
                raise error
            if middle and len(list(self.folder.iterdir())) < deaths:
                (self.folder / f"{os.getpid()}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return self.work.run(items, source)

    folder.mkdir(exist_ok=True)
    work = work_of(work)
    return Hostile(work, folder, work.takes, work.gives, work.guarantee, work.purpose)
