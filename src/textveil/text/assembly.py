"""Put words back into the layout they came from."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from textveil.compiled import compiled
from textveil.elementary import instruction
from textveil.text.scanning import Bytes, Integers, Words, packed
from textveil.vocabulary import Vocabulary

_LOWER, _SENTENCE, _KEEP = range(3)
AS_IT_IS = -1
# Bytes that are copied at once; pools and outputs have room for so many more.
_AT_ONCE = 16


class Case(StrEnum):
    """Which capital letters a rewritten text has.

    SENTENCE: at the start of each sentence, known from the punctuation alone, so it reveals nothing more.
    LOWER: as the vocabulary has them. KEEP: as the original has them, which reveals that.
    """

    SENTENCE = "sentence"
    LOWER = "lower"
    KEEP = "keep"


_POLICY = {Case.LOWER: _LOWER, Case.SENTENCE: _SENTENCE, Case.KEEP: _KEEP}


def capitals_of(word: str) -> int:
    """Return how many capitals `Case.KEEP` keeps of a word: 0 for none, 1 for that of its first letter, 2 for all."""
    first, rest = word[:1], word[1:]
    if not "A" <= first <= "Z":
        return 0
    return 2 if rest and rest.isascii() and not any("a" <= letter <= "z" for letter in rest) else 1


class Assembly:
    """Writes the words of a vocabulary into layouts."""

    def __init__(self, vocabulary: Vocabulary, *, case: Case, unknown_text: str | None) -> None:
        words = [word.encode() for word in vocabulary.words]
        if unknown_text is not None:
            words[vocabulary.unknown_id] = unknown_text.encode()
        pool, self._offsets = packed(words)
        self._pool = np.concatenate([pool, np.zeros(_AT_ONCE, dtype=np.uint8)])
        self._policy = _POLICY[case]

    def put(self, text: Bytes, words: Words, ids: Integers, records: Integers) -> tuple[Bytes, Integers]:
        """Return the text with each word replaced by the one numbered in `ids`, and where each record ends up.

        Parameters
        ----------
        ids : numbers of the vocabulary, or AS_IT_IS for words that stay
        records : where records begin, and the end of the text
        """
        moved = np.empty(len(records), dtype=np.int64)
        size = _size(words.starts, words.ends, ids, self._offsets, len(text))
        output = np.empty(size + _AT_ONCE, dtype=np.uint8)
        _put(text, words.starts, words.ends, ids, records, self._pool, self._offsets, self._policy, output, moved)
        # Nothing that was in this memory before goes along.
        output[size:] = 0
        return output[:size], moved

    def lengths(self, words: Words, ids: Integers) -> Integers:
        """Return how many bytes each word has when it is put: those of the word numbered, or its own."""
        put = np.diff(self._offsets)[np.where(ids == AS_IT_IS, 0, ids)]
        return np.where(ids == AS_IT_IS, words.ends - words.starts, put)


@compiled
def _size(starts, ends, ids, offsets, size):  # type: ignore[no-untyped-def]
    for t in range(starts.size):
        if ids[t] != AS_IT_IS:
            size += offsets[ids[t] + 1] - offsets[ids[t]] - (ends[t] - starts[t])
    return size


@compiled
def _upper(code):  # type: ignore[no-untyped-def]
    return np.uint8(code - 32) if 97 <= code <= 122 else code


@instruction
def _copy(_typing: Any, source: Any, _first: Any, target: Any, _place: Any) -> Any:
    """Copy 16 bytes from one array of bytes into another."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.VectorType(ir.IntType(8), _AT_ONCE).as_pointer()
        where = [
            builder.bitcast(builder.gep(context.make_array(array)(context, builder, value).data, [place]), kind)
            for array, value, place in ((signature.args[0], *args[:2]), (signature.args[2], *args[2:]))
        ]
        builder.store(builder.load(where[0], align=1), where[1], align=1)
        return context.get_dummy_value()

    return types.void(source, types.int64, target, types.int64), generate


@compiled
def _put(text, starts, ends, ids, records, pool, offsets, policy, output, moved):  # type: ignore[no-untyped-def]
    at, read, record = 0, 0, 0
    for t in range(starts.size + 1):
        until = starts[t] if t < starts.size else text.size
        begins = False
        for k in range(read, until):
            while record < records.size and records[record] <= k:
                moved[record] = at
                record += 1
                begins = True
            code = text[k]
            begins = begins or code in (46, 33, 63)
            output[at] = code
            at += 1
        while record < records.size and records[record] <= until:
            moved[record] = at
            record += 1
            begins = True
        if t == starts.size:
            break
        first, last = starts[t], ends[t]
        if ids[t] == AS_IT_IS:
            for k in range(first, last):
                output[at] = text[k]
                at += 1
        else:
            entry, stop = offsets[ids[t]], offsets[ids[t] + 1]
            capital, capitals = policy == _SENTENCE and begins, False
            if policy == _KEEP:
                capital = 65 <= text[first] <= 90
                capitals = capital and last - first > 1
                for k in range(first, last):
                    capitals = capitals and text[k] < 128 and not 97 <= text[k] <= 122
            # Most words need one copy of 16 bytes; what is too much is overwritten by what follows.
            for k in range(entry, stop, _AT_ONCE):
                _copy(pool, k, output, at + k - entry)
            for k in range(stop - entry if capitals else min(capital, stop - entry)):
                output[at + k] = _upper(output[at + k])
            at += stop - entry
        read = last
