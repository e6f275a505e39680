"""All benchmarks, as ratios measured in one run: python -m benchmarks [noise search words]."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = ("noise", "search", "words")

for name in sys.argv[1:] or NAMES:
    import_module(f"benchmarks.{name}").main()
