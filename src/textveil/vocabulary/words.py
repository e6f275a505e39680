"""Which lists of words a vocabulary accepts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textveil.errors import InvalidInputError


def checked_words(words: Sequence[str]) -> tuple[tuple[str, ...], dict[str, int]]:
    """Return the words and the id of each, if they are at least two distinct non-empty strings."""
    if isinstance(words, str | bytes):
        raise InvalidInputError("words must be a list of words, not one string")
    if not isinstance(words, Iterable):
        raise InvalidInputError(f"words must be a list of words (got {type(words).__name__})")
    names = tuple(words)
    if len(names) < 2:
        raise InvalidInputError(f"a vocabulary needs at least 2 words (got {len(names)})")
    for position, word in enumerate(names):
        if not isinstance(word, str) or not word:
            raise InvalidInputError(f"words must be non-empty str (item {position} is {word!r})")
    index = dict(zip(names, range(len(names)), strict=True))
    if len(index) < len(names):
        twice = next(word for position, word in enumerate(names) if index[word] != position)
        raise InvalidInputError(f"the word {twice!r} occurs twice; keep one of its vectors")
    try:
        "\n".join(names).encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"a word can't be written as UTF-8: {error.reason}") from None
    return names, index
