"""The frontier of privacy and utility: every mechanism at an equal guarantee, with what attackers get there."""

from textveil.measure.compare.frontier import Frontier
from textveil.measure.compare.vectors import compare_vectors
from textveil.measure.compare.words import compare_words

__all__ = ["Frontier", "compare_vectors", "compare_words"]
