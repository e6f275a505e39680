"""Words with points: loading, the default table and nearest-word search."""

from textveil.vocabulary.vocabulary import Vocabulary

__all__ = ["Vocabulary"]
