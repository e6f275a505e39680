"""All benchmarks, as ratios measured in one run: python -m benchmarks [NAMES [OPTIONS]], all if none is named."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from llvmlite.binding import get_host_cpu_features

NAMES = (
    "auditing",
    "documents",
    "embedding",
    "encoders",
    "gpu",
    "noise",
    "poincare",
    "search",
    "service",
    "utterances",
    "vectors",
    "words",
    "workers",
)

if __name__ == "__main__":
    # NumPy's wheels choose AVX2 on AMD's processors with AVX-512: half of the limit that we compare ourselves with.
    if get_host_cpu_features().get("avx512f"):
        os.environ.setdefault("OPENBLAS_CORETYPE", "SKYLAKEX")
    given = sys.argv[1:]
    options = next((place for place, word in enumerate(given) if word.startswith("-")), len(given))
    sys.argv[1:] = given[options:]
    for name in given[:options] or NAMES:
        import_module(f"benchmarks.{name}").main()
