"""Where public results are kept that took long to compute."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return TEXTVEIL_CACHE, else the user's cache folder."""
    asked = os.environ.get("TEXTVEIL_CACHE")
    if asked:
        return Path(asked)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "textveil"
