"""Write names into a figure, each beside its mark, with a thin line to it where it had to move away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from textveil.measure.picture.labels import Box, Spot, place_labels

# A label farther than this from its mark gets a line, in points.
_NEAR = 5.0


@dataclass(frozen=True)
class Name:
    """A text, the place in the disc that it belongs to, the radius of the mark there and its size, in points."""

    text: str
    place: complex
    radius: float
    size: float
    colour: str
    bold: bool = False

    @property
    def style(self) -> dict[str, Any]:
        """How it is written."""
        return {"fontsize": self.size, "color": self.colour, "fontweight": "bold" if self.bold else "normal"}


def write_names(axes: Any, fixed: Sequence[Name], movable: Sequence[Name]) -> None:
    """Write the fixed names where they belong, the others beside their marks where there is room, in this order."""
    figure = axes.get_figure()
    to_points = 72 / figure.dpi
    bounds = axes.get_window_extent()
    room = Box(*(float(edge) * to_points for edge in bounds.extents))
    fixed_spots = [_spot(axes, name, to_points) for name in fixed]
    taken = [Box(s.x - s.width / 2, s.y - s.height / 2, s.x + s.width / 2, s.y + s.height / 2) for s in fixed_spots]
    for name, spot, box in zip(fixed, fixed_spots, taken, strict=True):
        _write(axes, name, spot, box)
    spots = [_spot(axes, name, to_points) for name in movable]
    for name, spot, found in zip(movable, spots, place_labels(spots, room, taken), strict=True):
        if found is not None:
            _draw_line(axes, name, spot, found)
            _write(axes, name, spot, found)


def _spot(axes: Any, name: Name, to_points: float) -> Spot:
    figure = axes.get_figure()
    text = figure.text(0, 0, name.text, **name.style)
    size = text.get_window_extent(figure.canvas.get_renderer())
    text.remove()
    x, y = axes.transData.transform((name.place.real, name.place.imag)) * to_points
    return Spot(float(x), float(y), name.radius, size.width * to_points + 1.5, size.height * to_points)


def _write(axes: Any, name: Name, spot: Spot, box: Box) -> None:
    """Write a name so far from its place as its box is, whatever becomes of the page."""
    from matplotlib import patheffects

    halo = [patheffects.withStroke(linewidth=2.0, foreground="white")]
    offset = ((box.left + box.right) / 2 - spot.x, (box.bottom + box.top) / 2 - spot.y)
    where = {"xytext": offset, "textcoords": "offset points", "ha": "center", "va": "center", "zorder": 5}
    axes.annotate(name.text, (name.place.real, name.place.imag), **where, path_effects=halo, **name.style)


def _draw_line(axes: Any, name: Name, spot: Spot, box: Box) -> None:
    nearest = (np.clip(spot.x, box.left, box.right) - spot.x, np.clip(spot.y, box.bottom, box.top) - spot.y)
    if np.hypot(*nearest) > spot.radius + _NEAR:
        line = {"arrowstyle": "-", "color": "#9a9a9a", "linewidth": 0.5, "shrinkA": 0, "shrinkB": spot.radius}
        where = {"xytext": nearest, "textcoords": "offset points", "zorder": 2.5}
        axes.annotate("", (name.place.real, name.place.imag), **where, arrowprops=line)
