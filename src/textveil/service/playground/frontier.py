"""What is kept of a text at each epsilon: from a file of `textveil compare`, or read off the laws at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from textveil.errors import InvalidInputError
from textveil.mechanisms.exponential import Exponential
from textveil.service.catalogue import Kind
from textveil.service.playground.ladder import Ladder


def read_frontier(path: Path) -> dict[str, Any]:
    """Read what `textveil compare` wrote as JSON."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        plain = None
    if not isinstance(plain, dict):
        raise InvalidInputError(f"{path} is no JSON that `textveil compare` wrote")
    return plain


def points_of(ladder: Ladder) -> list[dict[str, float]]:
    """Return for each epsilon the share of words that stay, in the mean over the vocabulary, and the largest loss."""
    points = []
    for epsilon in ladder.stops if Kind.WORDS in ladder.offer.kinds else ():
        made = ladder.work(Kind.WORDS, epsilon).mechanism
        if isinstance(made, Exponential) and made.law.kept is not None:
            points.append({"epsilon": epsilon, "kept": made.law.kept, "loss": made.guarantee.loss(float("inf"))})
    return points
