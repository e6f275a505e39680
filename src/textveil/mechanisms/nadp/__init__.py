"""Neighbourhood-aware noise on the vectors of words: as published, and three repairs."""

from textveil.mechanisms.nadp.nadp import Nadp

__all__ = ["Nadp"]
