"""Release a folder of vectors on Ray and print the most memory that any worker took, in MB. Called by test_memory.py.

remembering.py FOLDER MEGABYTES WORKERS
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

import textveil as tv
from textveil.engines import RayEngine
from textveil.jobs import plan

DIMENSION = 256
FILE_MEGABYTES = 64


def write_input(folder, megabytes):
    """Write files of at most 64 MB; all after the first are copies."""
    each = min(FILE_MEGABYTES, max(1, megabytes // 4))
    rows = (each << 20) // (4 * DIMENSION)
    numbers = pa.array(np.random.default_rng(0).normal(size=rows * DIMENSION).astype(np.float32))
    table = pa.table({"embedding": pa.FixedSizeListArray.from_arrays(numbers, DIMENSION)})
    folder.mkdir()
    first = folder / "part-0000.parquet"
    pq.write_table(table, first, compression="none", use_dictionary=False, row_group_size=rows // 2)
    for number in range(1, megabytes // each):
        shutil.copyfile(first, folder / f"part-{number:04}.parquet")


def own_memory(process):
    """Return what a process does not share, in MB: the object store is mapped into all."""
    try:
        memory = process.memory_info()
    except psutil.Error:
        return 0.0
    return (memory.rss - memory.shared) / (1 << 20)


class Watch(threading.Thread):
    """Looks at this process and at Ray's workers ten times a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.ended = threading.Event()
        self.driver = self.worker = 0.0

    def run(self):
        this = psutil.Process()
        while not self.ended.wait(0.1):
            self.driver = max(self.driver, own_memory(this))
            for process in this.children(recursive=True):
                try:
                    is_worker = "ray::Worker" in process.name() or "ray::Worker" in " ".join(process.cmdline())
                except psutil.Error:
                    continue
                if is_worker:
                    self.worker = max(self.worker, own_memory(process))


if __name__ == "__main__":
    folder, megabytes, workers = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    write_input(folder / "in", megabytes)
    work = tv.Laplace(epsilon=1.0, dimension=DIMENSION)
    job = plan(folder / "in", folder / "out", work, column="embedding", engine=RayEngine(workers=workers))
    watch, started = Watch(), time.monotonic()
    watch.start()
    job.run()
    seconds = time.monotonic() - started
    watch.ended.set()
    watch.join()
    sys.stdout.write(f"{watch.worker:.1f} {watch.driver:.1f} {seconds:.1f}\n")
