"""Texts in the forms that people have them: one, a list, a pandas or Arrow column, None where one is missing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from typing import Any

from textveil.errors import InvalidInputError


def texts_in(private: Any) -> list[str]:
    """Return the texts that are there."""
    if isinstance(private, str):
        return [private]
    values = _values(private)
    for place, text in enumerate(values):
        if not isinstance(text, str) and not _is_missing(text):
            raise InvalidInputError(f"texts must be str (number {place}, from 0, is {type(text).__name__})")
    return [text for text in values if not _is_missing(text)]


def texts_with_spans(private: Any, spans: Sequence[Any]) -> tuple[list[str], Sequence[Any]]:
    """Return the texts that are there, and the spans of each."""
    if isinstance(private, str):
        return [private], [spans]
    values = _values(private)
    if len(values) != len(spans):
        raise InvalidInputError(
            f"give a list of spans for each text ({len(values)} texts, {len(spans)} lists of spans)"
        )
    kept = [place for place, text in enumerate(values) if not _is_missing(text)]
    return [values[place] for place in kept], [spans[place] for place in kept]


def with_texts(private: Any, rewritten: list[str]) -> Any:
    """Return the rewritten texts in the form of the originals."""
    if isinstance(private, str):
        return rewritten[0]
    following = iter(rewritten)
    values = [text if _is_missing(text) else next(following) for text in _values(private)]
    module = type(private).__module__.partition(".")[0]
    if module == "pandas":
        # A categorical column would carry its categories, the originals, along.
        kind = object if hasattr(private.dtype, "categories") else private.dtype
        return type(private)(values, index=private.index, name=private.name, dtype=kind)
    if module == "pyarrow":
        import pyarrow

        kind = private.type.value_type if pyarrow.types.is_dictionary(private.type) else private.type
        chunked = hasattr(private, "chunks")
        return pyarrow.chunked_array([values], type=kind) if chunked else pyarrow.array(values, type=kind)
    return values


def _values(private: Any) -> list[Any]:
    unfit = isinstance(private, bytes | Mapping | Set) or hasattr(private, "columns")
    if unfit or not hasattr(private, "__iter__"):
        raise InvalidInputError(
            f"texts must be a str, a list of str or a column of them (got {type(private).__name__}); "
            "of a table give one column"
        )
    module = type(private).__module__.partition(".")[0]
    return list(private.to_pylist() if module == "pyarrow" else private)


def _is_missing(text: Any) -> bool:
    return text is None or (isinstance(text, float) and math.isnan(text)) or type(text).__name__ == "NAType"
