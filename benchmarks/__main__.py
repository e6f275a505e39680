"""All benchmarks, as ratios measured in one run: python -m benchmarks [NAMES], all of them if none is given."""

from __future__ import annotations

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
    names, sys.argv[1:] = sys.argv[1:] or NAMES, []
    for name in names:
        import_module(f"benchmarks.{name}").main()
