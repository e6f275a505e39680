"""Which distance a name stands for: whole names only, since "Euclidean distance divided by 100" is another distance."""

from __future__ import annotations

import re

DIVIDED = ", each divided by its length before"
_ROUNDED = r" of vectors rounded to multiples of 2\^-?\d+"
_WORDS = r" of (the|their|word|the word) vectors| of [\d,]+ public word vectors"
_OF = rf"({_ROUNDED}|{_WORDS}| of their rows, multiples of 2\^-20)?"
_NAMES = {
    "Euclidean": re.compile(f"(Euclidean|l2) distance{_OF}"),
    "l1": re.compile(f"l1 distance{_OF}"),
    "hyperbolic": re.compile(rf"hyperbolic distance( \(Poincaré ball, curvature -1\))?{_OF}"),
}


def norm_of(metric: str) -> str:
    """Return "Euclidean", "l1" or "hyperbolic" for a name of that distance of vectors, and nothing for all others."""
    return next((norm for norm, names in _NAMES.items() if names.fullmatch(metric)), "")


def rounding_of(metric: str) -> str:
    """Return the words of a name that say to what vectors are rounded before their distance is counted."""
    found = re.search(_ROUNDED, metric)
    return found.group() if found else ""
