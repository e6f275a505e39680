"""Release a file of a given size and print the most memory that it took, in MB. Called by test_memory.py.

remembering.py FOLDER MEGABYTES EXTENSION none|rewrite|vectors
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from crashing import rewriter, write_lines

import textveil as tv
from textveil.guarantees import Unit, local_privacy
from textveil.jobs import plan

DIMENSION = 256


class Nothing:
    """Releases texts as they are."""

    takes = gives = None
    guarantee = local_privacy(1.0, unit=Unit.TEXT)
    purpose = bytes(32)

    def spec(self):
        return {"mechanism": "Nothing"}

    def run(self, texts, source):
        return texts


def write_input(folder, megabytes, extension):
    path = folder / f"in.{extension}"
    write_lines(folder / "block", 1 << 20)
    block = (folder / "block").read_bytes()
    if extension == "npy":
        shape = (megabytes << 20) // (4 * DIMENSION), DIMENSION
        vectors = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
        vectors.flush()
        return path
    if extension == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.table({"text": block.decode().split("\n")})
        with pq.ParquetWriter(path, table.schema, use_dictionary=False) as writer:
            for _ in range(0, megabytes, 16):
                writer.write_table(pa.concat_tables([table] * 16))
        return path
    if extension == "csv":
        block = b"".join(b'7,"' + line + b'"\n' for line in block.split(b"\n"))
    if extension == "jsonl":
        block = b"".join(json.dumps({"id": 7, "text": line.decode()}).encode() + b"\n" for line in block.split(b"\n"))
    with path.open("wb") as file:
        file.write(b"id,text\n" if extension == "csv" else b"")
        for _ in range(megabytes):
            file.write(block)
    return path


def peak_megabytes():
    # Not ru_maxrss, which a process inherits from its parent.
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    folder, megabytes, extension, kind = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    path = write_input(folder, megabytes, extension)
    works = {"rewrite": rewriter, "vectors": lambda: tv.Laplace(epsilon=1.0, dimension=DIMENSION), "none": Nothing}
    work = works[kind]()
    column = None if extension in ("txt", "npy") else "text"
    plan(path, folder / f"out.{extension}", work, column=column, overwrite=True).run()
    sys.stdout.write(f"{peak_megabytes():.1f}\n")
