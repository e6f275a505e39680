"""The authorship problems of PAN 2011 and 2012 that the hyperbolic paper attacks.

PAN11 is real mail: its texts are read, counted and forgotten, and appear in no output.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from textveil.measure.tasks.tables import rows_of, unescaped


class Where(NamedTuple):
    """Where a problem is: the file, the problem that has its known texts, and its own name there."""

    file: str
    known: str
    asked: str


PROBLEMS = {
    "PAN11 small": Where("author/pan11.tsv.xz", "small", "small"),
    "PAN11 large": Where("author/pan11.tsv.xz", "large", "large"),
    "PAN12 A": Where("author/pan12.tsv.xz", "A", "A"),
    "PAN12 C": Where("author/pan12.tsv.xz", "C", "C"),
    # Set D asks about the authors of set C, and about others: nobody can be right about these.
    "PAN12 D": Where("author/pan12.tsv.xz", "C", "D"),
    "PAN12 I": Where("author/pan12.tsv.xz", "I", "I"),
}


@dataclass(frozen=True)
class Problem:
    """Texts of known authors, and texts in question with their true authors.

    Parameters
    ----------
    name : a key of `PROBLEMS`
    known : (author, text), in the order of the file
    asked : (author, text)
    """

    name: str
    known: tuple[tuple[str, str], ...]
    asked: tuple[tuple[str, str], ...]


def read_problem(folder: Path, name: str, *, most: int | None = None) -> Problem:
    """Return a problem; with `most` only so many of the texts in question, evenly spread."""
    where = PROBLEMS[name]
    known, asked = [], []
    for problem, split, author, text in rows_of(folder, where.file, "problem", "split", "author", "text"):
        if (problem, split) == (where.known, "train"):
            known.append((author, unescaped(text)))
        if (problem, split) == (where.asked, "test"):
            asked.append((author, unescaped(text)))
    step = 1 if most is None else max(1, -(-len(asked) // most))
    return Problem(name, tuple(known), tuple(asked[::step]))
