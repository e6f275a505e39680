"""Where points live, and how far apart they are."""

from textveil.spaces.euclidean import Euclidean
from textveil.spaces.poincare import Poincare
from textveil.spaces.space import Space

__all__ = ["Euclidean", "Poincare", "Space"]
