"""Texts in the forms that people have them: one, a list, a pandas or Arrow column, None where one is missing."""

from __future__ import annotations

import math
from typing import Any

from textveil.errors import InvalidInputError


def texts_in(private: Any) -> list[str]:
    """Return the texts that are there."""
    if isinstance(private, str):
        return [private]
    texts = [text for text in _values(private) if not _is_missing(text)]
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise InvalidInputError(f"texts must be str (number {place} is {type(text).__name__})")
    return texts


def with_texts(private: Any, rewritten: list[str]) -> Any:
    """Return the rewritten texts in the form of the originals."""
    if isinstance(private, str):
        return rewritten[0]
    following = iter(rewritten)
    values = [text if _is_missing(text) else next(following) for text in _values(private)]
    module = type(private).__module__.partition(".")[0]
    if module == "pandas":
        return type(private)(values, index=private.index, name=private.name, dtype=private.dtype)
    if module == "pyarrow":
        import pyarrow

        return (
            pyarrow.chunked_array([values], type=private.type)
            if hasattr(private, "chunks")
            else pyarrow.array(values, type=private.type)
        )
    return values


def _values(private: Any) -> list[Any]:
    if isinstance(private, bytes) or not hasattr(private, "__iter__"):
        raise InvalidInputError(
            f"texts must be a str, a list of str or a column of them (got {type(private).__name__})"
        )
    module = type(private).__module__.partition(".")[0]
    return list(private.to_pylist() if module == "pyarrow" else private)


def _is_missing(text: Any) -> bool:
    return text is None or (isinstance(text, float) and math.isnan(text)) or type(text).__name__ == "NAType"
