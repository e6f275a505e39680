"""Mechanisms: one file each. Importing this package registers them all."""

from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.mechanism import Mechanism, from_spec
from textveil.mechanisms.nearest_word import NearestWord

__all__ = ["Exponential", "Laplace", "Mechanism", "NearestWord", "from_spec"]
