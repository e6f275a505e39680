"""How much a word mechanism hides, in numbers that can be seen. Definitions: docs/measuring.md."""

from textveil.measure.statistics.measuring import statistics
from textveil.measure.statistics.report import Statistics

__all__ = ["Statistics", "statistics"]
