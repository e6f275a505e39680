"""Encoders: public functions from texts to vectors, and the release of what they give."""

from textveil.encoders.averaged_words import AveragedWords
from textveil.encoders.embedder import TextEmbedder
from textveil.encoders.encoder import Encoder

__all__ = ["AveragedWords", "Encoder", "TextEmbedder"]
