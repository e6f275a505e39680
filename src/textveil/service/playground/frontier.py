"""What is kept of a text at each epsilon: from a file of `textveil compare`, or read off the laws at hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from textveil.errors import InvalidInputError
from textveil.service.catalogue import Kind
from textveil.service.playground.ladder import Ladder

_FORMAT = "textveil frontier 1"
_BLOCK = re.compile(r'<script type="application/json" id="frontier">(.*?)</script>', re.DOTALL)


def read_frontier(path: Path) -> dict[str, Any]:
    """Read the page that `textveil compare` wrote, or the JSON in it."""
    try:
        text = path.read_text(encoding="utf-8")
        block = _BLOCK.search(text)
        plain = json.loads(block[1] if block else text)
    except FileNotFoundError:
        raise InvalidInputError(f"there is no file {path}; `textveil compare` writes one") from None
    except (OSError, ValueError):
        plain = None
    if not isinstance(plain, dict) or plain.get("format") != _FORMAT:
        raise InvalidInputError(f"{path} is no page that `textveil compare` wrote, nor the JSON of one")
    return plain


def points_of(ladder: Ladder) -> list[dict[str, float]]:
    """Return for each epsilon the share of words that stay, in the mean over the vocabulary, and the largest loss."""
    points = []
    for epsilon in ladder.stops if Kind.WORDS in ladder.offer.kinds else ():
        made = ladder.work(Kind.WORDS, epsilon)
        if made.kept is not None:
            points.append({"epsilon": epsilon, "kept": made.kept, "loss": made.guarantee.loss(float("inf"))})
    return points
