"""Text: which parts are words, which words are protected, and how they are put back."""

from textveil.text.rewriter import TextRewriter

__all__ = ["TextRewriter"]
