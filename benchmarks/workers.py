"""How much faster are two workers of Ray than one? Wall time in one run.

    python -m benchmarks workers [--rounds 2]

One worker and two take turns, so that a machine that is faster at times is so for both; ratios are medians over the
rounds. The start of workers is counted, some four seconds of each run, so the work is of a gigabyte and more. What two
cores are worth on this machine is shown too: two processes that know nothing of each other, each with half of the
files, against one with all of them.
"""

from __future__ import annotations

import argparse
import os
import pickle
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import textveil as tv
from benchmarks.table import Table
from textveil.engines import RayEngine
from textveil.jobs import plan
from textveil.vocabulary import Vocabulary

TEXT_FILES, VECTOR_FILES, DIMENSION = 100, 40, 256
ALONE = """
import pickle, sys
from textveil.jobs import plan
work = pickle.load(open(sys.argv[1], "rb"))
print("ready", flush=True)
sys.stdin.readline()
plan(sys.argv[2], sys.argv[2] + ".out", work, column=sys.argv[3], threads=1).run()
print("done", flush=True)
"""


def texts(folder: Path, vocabulary: Vocabulary) -> tuple[str, int]:
    """Write files of texts of 60 words, common ones more often, and return the column and the bytes."""
    rng = np.random.default_rng(0)
    words = np.array(vocabulary.words)
    places = np.minimum(rng.zipf(1.2, size=(60_000, 60)) - 1, len(words) - 1)
    table = pa.table({"text": [" ".join(words[row]) for row in places]})
    return "text", copies(folder, table, TEXT_FILES)


def vectors(folder: Path) -> tuple[str, int]:
    numbers = pa.array(np.random.default_rng(0).normal(size=24_000 * DIMENSION).astype(np.float32))
    table = pa.table({"embedding": pa.FixedSizeListArray.from_arrays(numbers, DIMENSION)})
    return "embedding", copies(folder, table, VECTOR_FILES)


def copies(folder: Path, table: pa.Table, files: int) -> int:
    folder.mkdir()
    pq.write_table(table, folder / "part-00.parquet", compression="none")
    for number in range(1, files):
        shutil.copyfile(folder / "part-00.parquet", folder / f"part-{number:02}.parquet")
    return sum(path.stat().st_size for path in folder.iterdir())


def seconds_apart(work: tv.TextRewriter | tv.Laplace, source: Path, column: str, processes: int) -> float:
    """The time of processes of their own, each with its share of the files, once all of them have started."""
    with TemporaryDirectory(dir=source.parent) as folder:
        Path(folder, "work").write_bytes(pickle.dumps(work))
        for number, path in enumerate(sorted(source.iterdir())):
            share = Path(folder, f"share-{number % processes}")
            share.mkdir(exist_ok=True)
            os.link(path, share / path.name)
        started = [
            subprocess.Popen(  # noqa: S603 - this file's own program
                [sys.executable, "-c", ALONE, Path(folder, "work"), Path(folder, f"share-{number}"), column],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "TEXTVEIL_THREADS": "1"},
            )
            for number in range(processes)
        ]  # fmt: skip
        for process in started:
            process.stdout.readline()
        begun = time.perf_counter()
        for process in started:
            process.stdin.write("\n")
            process.stdin.flush()
        if any(process.stdout.readline() != "done\n" for process in started):
            raise RuntimeError("a process did not release its files")
        took = time.perf_counter() - begun
        for process in started:
            process.communicate()
        return took


def seconds_of_ray(work: tv.TextRewriter | tv.Laplace, source: Path, column: str, workers: int) -> float:
    target = source.with_name("out")
    job = plan(source, target, work, column=column, engine=RayEngine(workers=workers))
    started = time.perf_counter()
    job.run()
    took = time.perf_counter() - started
    shutil.rmtree(target)
    target.with_name("out.receipt.json").unlink()
    return took


def compare(
    table: Table, name: str, work: tv.TextRewriter | tv.Laplace, source: Path, data: tuple[str, int], rounds: int
) -> None:
    column, size = data
    # The first run fills caches and is not shown.
    seconds_of_ray(work, source, column, 2)
    for kind, seconds in (("workers of Ray", seconds_of_ray), ("processes apart", seconds_apart)):
        took = [[seconds(work, source, column, number) for number in (1, 2)] for _ in range(rounds)]
        ratio = f"{statistics.median(one / two for one, two in took):.2f}x one"
        speeds = (f"{size / statistics.median(alike) / 1e6:.1f}" for alike in zip(*took, strict=True))
        table.row(f"{name}, 1 and 2 {kind}", f"{' and '.join(speeds)} MB/s", ratio, f"{size / 1e6:,.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    rounds = parser.parse_args().rounds
    # Ray gives its workers a low priority; whatever else runs on the machine would slow two of them more than one.
    os.environ.setdefault("RAY_worker_niceness", "0")
    table = Table(f"Workers of Ray, {os.cpu_count()} cores, the start of workers included, {rounds} rounds")
    vocabulary = Vocabulary.default(10_000)
    rewriter = tv.TextRewriter(tv.Exponential(vocabulary, epsilon=3.0, radius="auto").calibrate())
    laplace = tv.Laplace(epsilon=1.0, dimension=DIMENSION, precision="exact")
    with TemporaryDirectory() as folder, RayEngine(workers=2)._connected():
        source = Path(folder, "texts")
        compare(table, "rewriting texts", rewriter, source, texts(source, vocabulary), rounds)
        source = Path(folder, "vectors")
        compare(table, "exact Laplace", laplace, source, vectors(source), rounds)
    table.show()
