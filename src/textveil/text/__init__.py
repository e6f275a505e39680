"""Text: which parts are words, which words are protected, and how they are put back."""

from textveil.text.rewriter import TextRewriter
from textveil.text.sentences import sentences_in

__all__ = ["TextRewriter", "sentences_in"]
