"""The frontier as data: quantities, ways to release, and points; as JSON for pages and as CSV for tables.

The layout of the JSON is in docs/comparing.md.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from textveil.guarantees import Status
from textveil.measure.compare.quantities import Quantity

FORMAT = "textveil frontier 1"
# How a value was found.
EXACT, THEOREM, SAMPLED, AT_LEAST, AT_MOST = "exact", "theorem", "sampled", "at least", "at most"


@dataclass(frozen=True)
class Value:
    """A number with the interval in which it lies with 95% confidence, and how it was found."""

    value: float
    low: float
    high: float
    how: str

    @classmethod
    def exact(cls, value: float, how: str = EXACT) -> Value:
        """Return a number that has no error but rounding."""
        return cls(float(value), float(value), float(value), how)


@dataclass(frozen=True)
class Way:
    """A way to release: its name, what is known of its promise, and how it is drawn.

    Parameters
    ----------
    key, label : its names in files and on the page
    colour, mark : numbers of the palette and of the shapes that both pictures use
    status, reason : of the guarantee; None where nothing is promised
    """

    key: str
    label: str
    colour: int
    mark: int
    status: Status | None = Status.PROVED
    reason: str = ""


@dataclass(frozen=True)
class Point:
    """A way at one strength.

    Parameters
    ----------
    way : its key
    values : of quantities by their keys
    near : the number of near words of a public response; between points that differ in it nothing is read off, and
        pictures draw no line
    """

    way: str
    values: Mapping[str, Value]
    near: int | None = None


@dataclass(frozen=True)
class Frontier:
    """Ways to release the same things, measured at many strengths.

    Parameters
    ----------
    title : of the page
    about : what was compared, in pairs of a name and a sentence
    quantities, ways, points : see there
    findings : what can be read off, in sentences
    """

    title: str
    about: Mapping[str, str]
    quantities: Sequence[Quantity]
    ways: Sequence[Way]
    points: Sequence[Point]
    findings: Sequence[str] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values; an infinite number is None, whose value has how = "unbounded"."""
        return {
            "format": FORMAT,
            "title": self.title,
            "about": dict(self.about),
            "findings": list(self.findings),
            "quantities": [quantity.as_dict() for quantity in self._measured()],
            "ways": [asdict(way) for way in self.ways],
            "points": [
                {"way": point.way, "values": {key: plain(value) for key, value in point.values.items()}}
                | ({} if point.near is None else {"near": point.near})
                for point in self.points
            ],
        }

    def as_csv(self) -> str:
        """Return one line for each value."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["mechanism", "status", "epsilon", "loss", "quantity", "value", "low", "high", "how"])
        status = {way.key: way.status for way in self.ways}
        for point in self.points:
            at = [point.way, status[point.way], *(f"{point.values[key].value:.9g}" for key in ("epsilon", "loss"))]
            for key, value in point.values.items():
                if key not in ("epsilon", "loss"):
                    writer.writerow(
                        [*at, key, *(f"{it:.9g}" for it in (value.value, value.low, value.high)), value.how]
                    )
        return text.getvalue()

    def having(self, way: str, *keys: str) -> list[Point]:
        """Return the points of a way that have these quantities."""
        return [point for point in self.points if point.way == way and set(keys) <= point.values.keys()]

    def line(self, way: str, across: str, up: str) -> list[tuple[float, float]]:
        """Return the points of a way that have both quantities, in the order of the first."""
        return sorted((it.values[across].value, it.values[up].value) for it in self.having(way, across, up))

    def _measured(self) -> list[Quantity]:
        keys = {key for point in self.points for key in point.values}
        return [quantity for quantity in self.quantities if quantity.key in keys]


def plain(value: Value) -> list[Any]:
    """Return [value, low, high, how] with seven digits."""
    if math.isinf(value.value):
        return [None, None, None, "unbounded"]
    return [*(float(f"{number:.7g}") for number in (value.value, value.low, value.high)), value.how]


def to_json(points: Iterable[Point]) -> str:
    """Return points as text from which `from_json` makes them again."""
    return json.dumps(
        [[point.way, {key: asdict(value) for key, value in point.values.items()}, point.near] for point in points]
    )


def from_json(text: str) -> list[Point]:
    """Return the points of `to_json`."""
    return [
        Point(way, {key: Value(**value) for key, value in values.items()}, near)
        for way, values, near in json.loads(text)
    ]
