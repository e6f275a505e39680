"""How fast is the noise? Ours over NumPy's in one run, CPU time of one thread: python benchmarks/noise.py."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np

from textveil.noise.exact import discrete_gaussian, rounded_normal
from textveil.noise.laplace import radial_laplace
from textveil.noise.spherical import SphericalLaplace
from textveil.noise.transforms import _box_muller
from textveil.randomness import RandomSource, Streams

REPEATS = 25
COUNT = 4_000
DIMENSION = 300

warnings.simplefilter("ignore")
source = RandomSource.seeded(1)


def streams(count: int) -> Streams:
    return source.streams(b"benchmark", np.arange(count))


def numpy_laplace(rng: np.random.Generator, dtype: type) -> np.ndarray:
    directions = rng.standard_normal((COUNT, DIMENSION), dtype=dtype)
    radii = rng.standard_gamma(DIMENSION, COUNT, dtype=dtype)
    directions *= (radii / np.sqrt(np.einsum("ij,ij->i", directions, directions)))[:, None]
    return directions


def repeat(times: int, work: Callable[[], object]) -> None:
    for _ in range(times):
        work()


def medians(rows: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Interleave the repeats, so that a slow moment of the machine hits every row."""
    seconds: dict[str, list[float]] = {name: [] for name in rows}
    for work in rows.values():
        work()
    for _ in range(REPEATS):
        for name, work in rows.items():
            start = time.process_time()
            work()
            seconds[name].append(time.process_time() - start)
    return {name: float(np.median(values)) for name, values in seconds.items()}


def main() -> None:
    words, out = streams(200).words(DIMENSION), np.empty((200, DIMENSION))
    few, ones, repeated = streams(200), np.ones(200), 40
    rng = np.random.default_rng(1)
    exact = SphericalLaplace(DIMENSION, 2.0**-14)
    took = medians(
        {
            "keystream": lambda: repeat(repeated, lambda: few.words(DIMENSION)),
            "normals from words": lambda: repeat(repeated, lambda: _box_muller(words, ones, out)),
            "NumPy normals": lambda: repeat(repeated, lambda: rng.standard_normal(out=out)),
            "textveil laplace": lambda: radial_laplace(streams(COUNT), DIMENSION, 1.0, threads=1),
            "NumPy laplace float64": lambda: numpy_laplace(rng, np.float64),
            "NumPy laplace float32": lambda: numpy_laplace(rng, np.float32),
            "discrete gaussian": lambda: discrete_gaussian(streams(500), DIMENSION, 2**18, threads=1),
            "rounded normal": lambda: rounded_normal(streams(500), DIMENSION, 2**18, threads=1),
            "exact laplace": lambda: exact.draw(streams(500), threads=1),
        }
    )
    for name in ("keystream", "normals from words", "NumPy normals"):
        print(f"{name:24s} {took[name] / (repeated * 200 * DIMENSION) * 1e9:8.2f} ns a number")
    ours = took["textveil laplace"]
    for name in ("textveil laplace", "NumPy laplace float64", "NumPy laplace float32"):
        rate, ratio = COUNT / took[name] / 1e3, took[name] / ours
        print(f"{name:24s} {rate:8.0f} thousand vectors/s, d={DIMENSION}; textveil is {ratio:.2f}x")
    for name in ("discrete gaussian", "rounded normal", "exact laplace"):
        print(f"{name:24s} {500 * DIMENSION / took[name] / 1e6:8.2f} million exact scalars/s")


if __name__ == "__main__":
    main()
