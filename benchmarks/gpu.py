"""What a GPU brings, against the limits of the same GPU and against its CPUs: python -m benchmarks gpu [--small].

Decoding (noise and nearest word), secure noise against the write bandwidth, the neighbour graph, calibration, rows,
depths and secants; decoded words are compared with the CPU's. Without a CUDA device it says so and ends.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import textveil as tv
from benchmarks.search import made_up, snapped
from benchmarks.table import Table
from textveil.mechanisms.deep_candidate.depth import Depth
from textveil.mechanisms.exponential.calibration import calibrate
from textveil.mechanisms.privemb.secants import all_secants
from textveil.randomness import RandomSource
from textveil.vocabulary.neighbours import nearest_neighbours

DIMENSION = 300
CHECKED = 4_096
EPSILONS = (5.0, 10.0, 20.0)


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


def noise_rows(table: Table, share: int) -> None:
    """Noise that is written to the device's memory, looked at as every call does; keyed noise is that of the CPU."""
    import torch

    from textveil.gpu.noise import gaussian, radial_laplace

    device = torch.device("cuda")
    bandwidth = (1 << 32) / seconds(torch.empty(1 << 29, dtype=torch.float64, device=device).zero_)
    secure, keyed = RandomSource.secure(), RandomSource.keyed(b"benchmark" * 4)
    for name, draw, source, items in (
        ("secure Gaussian noise", gaussian, secure, 8_000_000),
        ("secure Laplace noise", radial_laplace, secure, 8_000_000),
        ("keyed Laplace noise", radial_laplace, keyed, 200_000),
    ):
        rows = np.arange(items // share)
        took = seconds(lambda: draw(source.streams(b"benchmark", rows), DIMENSION, 1.0, device))  # noqa: B023
        rate = len(rows) * DIMENSION * 8 / took
        size = f"{len(rows):,} x {DIMENSION} float64"
        table.row(name, f"{rate / 1e9:,.0f} GB/s", f"{rate / bandwidth:.1%} of the writes", size)


def decoding_rows(table: Table, words: tv.Vocabulary) -> None:
    ids = np.random.default_rng(1).integers(0, len(words), 262_144)
    on_gpu = words.on("cuda")
    for epsilon in EPSILONS:
        noise = tv.Laplace(epsilon=epsilon, dimension=DIMENSION)
        there, here = tv.NearestWord(on_gpu, noise), tv.NearestWord(words, noise)
        took = seconds(lambda mechanism=there: mechanism.release_ids(ids))
        few, source = ids[:CHECKED], RandomSource.keyed(b"benchmark" * 4)
        same = (there.release_ids(few, source=source) == here.release_ids(few, source=source)).sum()
        tops = 2.0 * len(ids) * len(words) * DIMENSION / took / 1e12
        measured = f"{len(ids) / took / 1e6:.2f} M words/s, {tops:.0f} Tops"
        table.row(
            f"noise and nearest word, epsilon {epsilon:g}",
            measured,
            f"{same} of {CHECKED} as the CPU",
            f"{len(words):,} x {DIMENSION}",
        )


def compared(table: Table, name: str, work: Callable[[Any], object], size: str) -> None:
    """Time work that is given a device, there and here."""
    import torch

    there = seconds(lambda: work(torch.device("cuda")))
    work(None)
    start = time.perf_counter()
    work(None)
    here = time.perf_counter() - start
    table.row(name, f"{there:.3f} s", f"{here / there:.1f}x {os.cpu_count()} cores", size)


def smaller_rows(table: Table, share: int) -> None:
    """Rows of the exponential mechanism, depths and secants."""
    generator = np.random.default_rng(2)
    words = vocabulary(95_578 // share)
    mechanisms = {
        there: tv.Exponential(words.on("cuda") if there else words, epsilon=3.0, radius="auto", calibrated=False)
        for there in (True, False)
    }
    asked = np.arange(500)
    compared(
        table,
        "500 rows of Exponential, radius auto",
        lambda device: list(mechanisms[device is not None]._rows._rows(asked)),
        f"{len(words):,} x {DIMENSION}",
    )
    candidates = snapped(generator.standard_normal((5_000, 384)))
    directions = np.rint(generator.standard_normal((50, 384)) * 64)
    depths = {there: Depth(candidates, directions, device="cuda" if there else None) for there in (True, False)}
    sentences, offsets = generator.standard_normal((1_280, 384)), np.arange(0, 1_281, 10)
    compared(
        table,
        "depths in 128 documents of 10 sentences",
        lambda device: depths[device is not None].among(sentences, offsets),
        "5,000 x 384, 50 directions",
    )
    points = made_up(73_404 // share, DIMENSION)
    codes = np.rint(points @ generator.standard_normal((DIMENSION, 50)) * 2**12).astype(np.int64)
    compared(
        table,
        "secants of a projection to 50",
        lambda device: all_secants(points, codes, device),
        f"{len(points):,} x 300",
    )


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
    noise_rows(table, share)
    decoding_rows(table, vocabulary(asked.words // share))
    points = made_up(73_404 // share, DIMENSION)
    took = seconds(lambda: nearest_neighbours(points, 20, device="cuda"))
    table.row("20 neighbours of each word", f"{took:.3f} s", "", f"{len(points):,} x {DIMENSION}")
    there = vocabulary(95_578 // share).on("cuda")
    took = seconds(lambda: calibrate(there, 2.0, np.inf))
    table.row("calibration", f"{took:.1f} s", "", f"{len(there):,} x {DIMENSION}")
    smaller_rows(table, share)
    table.show()


if __name__ == "__main__":
    main()
