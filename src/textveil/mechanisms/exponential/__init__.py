"""The exponential mechanism on a vocabulary, in all its forms."""

from textveil.mechanisms.exponential.exponential import Exponential

__all__ = ["Exponential"]
