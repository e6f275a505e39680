"""PrivEmb: project vectors to fewer dimensions with a certified matrix, then add noise."""

from textveil.mechanisms.privemb.privemb import PrivEmb

__all__ = ["PrivEmb"]
