"""What a GPU brings, against the limits of the same GPU: python -m benchmarks.gpu [--words 400000] [--small].

Decoding (noise and nearest word), the keystream and the noise against the write bandwidth, the neighbour graph and the
calibration; a sample of the decoded words is compared with the CPU's. Without a CUDA device it says so and ends.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

import textveil as tv
from benchmarks.search import made_up
from benchmarks.table import Table
from textveil.mechanisms.exponential.calibration import calibrate
from textveil.randomness import RandomSource
from textveil.vocabulary.neighbours import nearest_neighbours

DIMENSION = 300
CHECKED = 2_000


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The median time until the device has finished, after a run that is not counted."""
    import torch

    times = []
    for _ in range(repeats + 1):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def vocabulary(count: int) -> tv.Vocabulary:
    return tv.Vocabulary([str(n) for n in range(count)], made_up(count, DIMENSION), unknown="0")


def noise_rows(table: Table) -> None:
    import torch

    from textveil.gpu.noise import radial_laplace

    device = torch.device("cuda")
    room = torch.empty(1 << 29, dtype=torch.float64, device=device)
    bandwidth = room.nbytes / seconds(lambda: room.fill_(1.0))
    streams = RandomSource.secure().streams(b"benchmark", np.arange(200_000))
    took = seconds(lambda: radial_laplace(streams.select(slice(None)), DIMENSION, 1.0, device))
    rate = len(streams) * DIMENSION * 8 / took
    size = f"{len(streams):,} x {DIMENSION} float64"
    table.row("secure noise", f"{rate / 1e9:.0f} GB/s", f"{rate / bandwidth:.1%} of the writes", size)


def decoding_row(table: Table, words: tv.Vocabulary) -> None:
    noise = tv.Laplace(epsilon=10.0, dimension=DIMENSION)
    there, here = tv.NearestWord(words.on("cuda"), noise), tv.NearestWord(words, noise)
    ids = np.random.default_rng(1).integers(0, len(words), 262_144)
    took = seconds(lambda: there.release_ids(ids))
    source = RandomSource.keyed(b"benchmark" * 4)
    same = (there.release_ids(ids[:CHECKED], source=source) == here.release_ids(ids[:CHECKED], source=source)).mean()
    flops = 2.0 * len(ids) * len(words) * DIMENSION / took
    measured = f"{len(ids) / took / 1e6:.2f} M words/s, {same:.2%} as the CPU"
    table.row("noise and nearest word", measured, f"{flops / 1e12:.0f} Tops", f"{len(words):,} x {DIMENSION}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=400_000)
    parser.add_argument("--small", action="store_true", help="a tenth of every size")
    asked = parser.parse_args()
    table = Table("On a GPU")
    try:
        import torch
    except ImportError:
        torch = None
    if torch is None or not torch.cuda.is_available():
        table.row("no CUDA device here", "", "", "")
        table.show()
        return
    share = 10 if asked.small else 1
    noise_rows(table)
    decoding_row(table, vocabulary(asked.words // share))
    points = made_up(73_404 // share, DIMENSION)
    took = seconds(lambda: nearest_neighbours(points, 20, device="cuda"))
    table.row("20 neighbours of each word", f"{took:.2f} s", "", f"{len(points):,} x {DIMENSION}")
    there = vocabulary(95_578 // share).on("cuda")
    took = seconds(lambda: calibrate(there, 2.0, np.inf), repeats=1)
    table.row("calibration", f"{took:.1f} s", "", f"{len(there):,} x {DIMENSION}")
    table.show()


if __name__ == "__main__":
    main()
