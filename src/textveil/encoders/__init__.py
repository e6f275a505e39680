"""Encoders: public functions from texts to vectors, and the release of what they give."""

from textveil.encoders.averaged_words import AveragedWords
from textveil.encoders.embedder import TextEmbedder
from textveil.encoders.encoder import Encoder
from textveil.encoders.function import FunctionEncoder
from textveil.encoders.minilm import MiniLM
from textveil.encoders.public import public_vectors
from textveil.encoders.sentence_transformers import SentenceTransformersEncoder

__all__ = [
    "AveragedWords",
    "Encoder",
    "FunctionEncoder",
    "MiniLM",
    "SentenceTransformersEncoder",
    "TextEmbedder",
    "public_vectors",
]
