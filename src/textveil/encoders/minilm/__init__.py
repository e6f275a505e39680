"""The default sentence encoder, all-MiniLM-L6-v2."""

from textveil.encoders.minilm.minilm import MiniLM

__all__ = ["MiniLM"]
