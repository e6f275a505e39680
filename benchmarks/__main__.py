"""All benchmarks, as ratios measured in one run: python -m benchmarks [NAMES [OPTIONS]], all if none is named."""

from __future__ import annotations

import os
import sys
from importlib import import_module

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
    # The limit is that of the processor, whatever kernels the environment asks OpenBLAS for: with AVX2 alone, products
    # are half as fast where there is AVX-512.
    os.environ.pop("OPENBLAS_CORETYPE", None)
    given = sys.argv[1:]
    options = next((place for place, word in enumerate(given) if word.startswith("-")), len(given))
    sys.argv[1:] = given[options:]
    for name in given[:options] or NAMES:
        import_module(f"benchmarks.{name}").main()
