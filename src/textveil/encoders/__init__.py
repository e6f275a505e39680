"""Encoders: public functions from texts to vectors, and the release of what they give."""

from textveil.encoders.averaged_words import AveragedWords
from textveil.encoders.document_embedder import DocumentEmbedder
from textveil.encoders.embedder import TextEmbedder
from textveil.encoders.encoder import Encoder
from textveil.encoders.function import FunctionEncoder
from textveil.encoders.minilm import MiniLM
from textveil.encoders.public import public_vectors
from textveil.encoders.recoder import Recoded, Recoder
from textveil.encoders.rewritten_words import RewrittenWords
from textveil.encoders.sentence_means import SentenceMeans
from textveil.encoders.sentence_transformers import SentenceTransformersEncoder

__all__ = [
    "AveragedWords",
    "DocumentEmbedder",
    "Encoder",
    "FunctionEncoder",
    "MiniLM",
    "Recoded",
    "Recoder",
    "RewrittenWords",
    "SentenceMeans",
    "SentenceTransformersEncoder",
    "TextEmbedder",
    "public_vectors",
]
