"""A Presidio operator: what a recogniser found is rewritten with differential privacy, not masked.

Presidio finds names, numbers and places; `Rewrite` releases each of them through a `TextRewriter`. Everything that was
not found is released as it is, and what is found depends on the text: the promise is only between texts that agree
outside what was found, and in where it was found.
"""

from __future__ import annotations

from typing import Any

from textveil.errors import InvalidInputError, MissingDependencyError
from textveil.mechanisms.words import WordMechanism
from textveil.text import TextRewriter

try:
    from presidio_anonymizer.operators import Operator, OperatorType
except ImportError as error:
    raise MissingDependencyError(
        "textveil.presidio needs presidio-anonymizer: pip install 'textveil[presidio]'"
    ) from error

NAME = "textveil"


class Rewrite(Operator):
    """Release what Presidio found, word by word.

    Add it with `engine.add_anonymizer(Rewrite)`, and use it with
    `OperatorConfig("textveil", {"mechanism": tv.Exponential(...)})`. Each call draws fresh noise. It counts nothing:
    reserve in a `tv.Ledger` for the words of the longest text before.
    """

    def operate(self, text: str, params: dict[str, Any] | None = None) -> str:
        """Return what is released in the place of a text."""
        rewritten: str = _rewriter(params).release(text)
        return rewritten

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """Refuse parameters without a mechanism."""
        _rewriter(params)

    def operator_name(self) -> str:
        """Return the name by which configurations call it."""
        return NAME

    def operator_type(self) -> Any:
        """Return that it anonymizes."""
        return OperatorType.Anonymize


def _rewriter(params: dict[str, Any] | None) -> TextRewriter:
    mechanism = (params or {}).get("mechanism")
    if isinstance(mechanism, TextRewriter):
        return mechanism
    if not isinstance(mechanism, WordMechanism):
        raise InvalidInputError('give {"mechanism": tv.Exponential(...)}, or a TextRewriter')
    return TextRewriter(mechanism, case="lower")
