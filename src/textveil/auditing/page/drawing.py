"""Shapes and scales of the pictures: inline SVG, coloured by the style of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 400.0, 250.0
_TICKS = 4


@dataclass(frozen=True)
class Scale:
    """From numbers to places: `low` and `high` are at `start` and `end`; what lies beyond is drawn at the end."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a number, infinite ones at the end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    def ticks(self) -> list[float]:
        """Return a few round numbers of the scale."""
        rough = (self.high - self.low) / _TICKS
        unit = 10 ** math.floor(math.log10(rough))
        step = unit * max(step for step in (1, 2, 5) if step * unit <= rough * (1 + 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(number * step, 12) + 0.0 for number in range(first, last + 1)]


def picture(parts: Sequence[str], label: str, *, height: float = HEIGHT) -> str:
    """Return a picture with what it shows in words, for who can't see it."""
    return f'<svg viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Return a straight line."""
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="{kind}"/>'


def box(x: float, y: float, width: float, height: float, kind: str) -> str:
    """Return a rectangle."""
    return f'<rect x="{x:g}" y="{y:g}" width="{max(width, 0):g}" height="{max(height, 0):g}" class="{kind}"/>'


def dot(x: float, y: float, kind: str, radius: float = 3.5) -> str:
    """Return a filled circle."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{kind}"/>'


def path(points: Sequence[tuple[float, float]], kind: str) -> str:
    """Return a line through points."""
    return f'<polyline points="{" ".join(f"{x:g},{y:g}" for x, y in points)}" class="{kind}"/>'


def words(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    """Return a text."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="{kind}">{escape(text)}</text>'


def axes(across: Scale, up: Scale, *, below: str, beside: str, as_percent: bool = False) -> list[str]:
    """Return ticks with numbers on both sides, and what they mean."""
    parts = []
    for tick in up.ticks():
        parts += [
            line(across.start, up(tick), across.end, up(tick), "grid"),
            words(across.start - 6, up(tick) + 4, f"{tick:g}", "tick", "end"),
        ]
    for tick in across.ticks() if as_percent else []:
        parts.append(words(across(tick), up.start + 16, f"{100 * tick:g}%", "tick", "middle"))
    parts.append(words((across.start + across.end) / 2, up.start + 34, below, "axis", "middle"))
    parts.append(words(0, 12, beside, "axis"))
    return parts
