"""Text: which parts are words, which words are protected, and how they are put back."""

from textveil.text.apart import check_apart
from textveil.text.rewriter import TextRewriter
from textveil.text.sentences import sentences_in

__all__ = ["TextRewriter", "check_apart", "sentences_in"]
