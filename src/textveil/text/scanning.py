"""Find the words of UTF-8 text and look them up, at memory speed.

The rule is that of `textveil.text.tokens`. Pieces that are plain ASCII are done by compiled code; a piece that
holds any other byte is handed to the rule itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.hashing import Packed
from textveil.text.tokens import GLUE, words_in
from textveil.vocabulary import Vocabulary

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]

_SPACE, _LAYOUT, _LETTER, _DIGIT, _GLUED, _OTHER = range(6)
_APOSTROPHE, _STOP, _SLASH, _COLON = b"'./:"
_UNSEEN = -1
_FNV_START = np.uint64(14695981039346656037)
_FNV_PRIME = np.uint64(1099511628211)

# English contractions whose stem is not what stands before the apostrophe.
_CONTRACTIONS = {
    "can't": "can", "won't": "will", "shan't": "shall", "don't": "do", "doesn't": "does", "didn't": "did",
    "isn't": "is", "aren't": "are", "wasn't": "was", "weren't": "were", "hasn't": "has", "haven't": "have",
    "hadn't": "had", "couldn't": "could", "wouldn't": "would", "shouldn't": "should", "mustn't": "must",
    "needn't": "need", "mightn't": "might", "ain't": "is",
}  # fmt: skip


def _classes() -> Bytes:
    table = np.full(256, _OTHER, dtype=np.uint8)
    for code in range(128):
        character = chr(code)
        if code <= 0x20 or code == 0x7F:
            table[code] = _SPACE
        elif character.isalpha():
            table[code] = _LETTER
        elif character.isdigit():
            table[code] = _DIGIT
        elif character in GLUE:
            table[code] = _GLUED
        else:
            table[code] = _LAYOUT
    return table


_CLASS = _classes()


@dataclass(frozen=True)
class Words:
    """The words of texts: where each begins and ends, its number in the vocabulary, and which text it is in."""

    starts: Integers
    ends: Integers
    ids: Integers
    owners: Integers

    def __len__(self) -> int:
        return len(self.starts)


class Table(NamedTuple):
    """A hash table of words: their bytes, where each begins, their numbers, and the slots that point to them."""

    pool: Bytes
    offsets: Integers
    numbers: Integers
    slots: NDArray[np.int32]
    unknown: int


class Lookup:
    """Finds words of a vocabulary by their bytes, whatever their case."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.unknown = vocabulary.unknown_id
        self._folded: dict[str, int] = {}
        for number, word in enumerate(vocabulary.words):
            self._folded.setdefault(word.casefold(), number)
        for contraction, stem in _CONTRACTIONS.items():
            if stem in self._folded:
                self._folded.setdefault(contraction, self._folded[stem])
        self.table = table_of(self._folded, unknown=self.unknown)

    def find(self, word: str) -> int:
        """Return the number of a word, of what stands before its apostrophe, or of the unknown word."""
        folded = word.casefold().replace("\u2019", "'")
        found = self._folded.get(folded)
        if found is None and "'" in folded:
            found = self._folded.get(folded.partition("'")[0])
        return self.unknown if found is None else found


def table_of(numbers: Mapping[str, int], *, unknown: int = _UNSEEN) -> Table:
    """Return the hash table of folded words and their numbers."""
    pool, offsets = packed([word.encode() for word in numbers])
    slots = np.full(1 << max(4, (4 * len(numbers)).bit_length()), _UNSEEN, dtype=np.int32)
    _fill_slots(pool, offsets, slots)
    return Table(pool, offsets, np.array(list(numbers.values()), dtype=np.int64), slots, unknown)


def are_in(table: Table, text: Bytes, words: Words) -> NDArray[np.bool_]:
    """Return True for each word that is one of a table, letter by letter, whatever the case of its ASCII letters."""
    found = np.empty(len(words), dtype=np.bool_)
    _are_in(text, words.starts, words.ends, table, found)
    return found


def packed(words: list[bytes]) -> tuple[Bytes, Integers]:
    """Return words one after the other, and where each begins."""
    offsets = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum([len(word) for word in words], out=offsets[1:])
    return np.frombuffer(b"".join(words) or b"\0", dtype=np.uint8), offsets


def scan(texts: Packed, lookup: Lookup) -> Words:
    """Return the words of UTF-8 texts, in order; a word never reaches from one text into the next."""
    room = len(texts.data) // 2 + len(texts) + 1
    found = tuple(np.empty(room, dtype=np.int64) for _ in range(4))
    count = _scan(texts.data, texts.offsets, _CLASS, lookup.table, found)
    words = Words(*(column[:count] for column in found))
    other = np.flatnonzero(words.ids == _UNSEEN)
    return _with_other_scripts(texts.data, words, other, lookup) if len(other) else words


def _with_other_scripts(text: Bytes, found: Words, other: Integers, lookup: Lookup) -> Words:
    """Replace each piece that is not plain ASCII by the words in it."""
    starts, ends, ids, counts = [], [], [], np.ones(len(found), dtype=np.int64)
    for place in other:
        first, last = int(found.starts[place]), int(found.ends[place])
        piece = _decoded(text[first:last].tobytes())
        spans = list(words_in(piece))
        counts[place] = len(spans)
        at, offset = 0, first
        for start, end in spans:
            offset += len(_encoded(piece[at:start]))
            stop = offset + len(_encoded(piece[start:end]))
            starts.append(offset)
            ends.append(stop)
            ids.append(lookup.find(piece[start:end]))
            at, offset = end, stop
    repeated = np.repeat(np.arange(len(found)), counts)
    merged = Words(*(column[repeated] for column in (found.starts, found.ends, found.ids, found.owners)))
    replaced = np.isin(repeated, other)
    merged.starts[replaced], merged.ends[replaced], merged.ids[replaced] = starts, ends, ids
    return merged


def _decoded(piece: bytes) -> str:
    # A byte that is not UTF-8 becomes a character of no script: part of a word, so protected.
    return piece.decode("utf-8", errors="surrogateescape")


def _encoded(piece: str) -> bytes:
    return piece.encode("utf-8", errors="surrogateescape")


@compiled
def _hash(text, start, end):  # type: ignore[no-untyped-def]
    value = _FNV_START
    for place in range(start, end):
        value = _hash_step(value, _lower(text[place]))
    return value


@compiled
def _lower(code):  # type: ignore[no-untyped-def]
    return code + np.uint8(32) if 65 <= code <= 90 else code


@compiled
def _hash_step(value, code):  # type: ignore[no-untyped-def]
    return (value ^ np.uint64(code)) * _FNV_PRIME


@compiled
def _slot(value, mask):  # type: ignore[no-untyped-def]
    return (value ^ (value >> np.uint64(29))) & mask


@compiled
def _fill_slots(pool, offsets, slots):  # type: ignore[no-untyped-def]
    mask = np.uint64(slots.size - 1)
    for entry in range(offsets.size - 1):
        slot = _slot(_hash(pool, offsets[entry], offsets[entry + 1]), mask)
        while slots[slot] != _UNSEEN:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = entry


@compiled
def _find(text, start, end, value, table):  # type: ignore[no-untyped-def]
    """The entry of text[start:end], whose hash is known, or _UNSEEN."""
    mask = np.uint64(table.slots.size - 1)
    slot = _slot(value, mask)
    while table.slots[slot] != _UNSEEN:
        entry = table.slots[slot]
        first = table.offsets[entry]
        if table.offsets[entry + 1] - first == end - start:
            same = True
            for k in range(end - start):
                same = same and _lower(text[start + k]) == table.pool[first + k]
            if same:
                return entry
        slot = (slot + np.uint64(1)) & mask
    return _UNSEEN


@compiled
def _are_in(text, starts, ends, table, found):  # type: ignore[no-untyped-def]
    for word in range(starts.size):
        start, end = starts[word], ends[word]
        found[word] = _find(text, start, end, _hash(text, start, end), table) != _UNSEEN


@compiled
def _number(text, start, end, apostrophe, table):  # type: ignore[no-untyped-def]
    entry = _find(text, start, end, _hash(text, start, end), table)
    if entry == _UNSEEN and apostrophe > start:
        entry = _find(text, start, apostrophe, _hash(text, start, apostrophe), table)
    return table.unknown if entry == _UNSEEN else table.numbers[entry]


@compiled
def _scan(text, records, classes, table, found):  # type: ignore[no-untyped-def]
    starts, ends, ids, owners = found
    count = 0
    for record in range(records.size - 1):
        before, place, size = count, records[record], records[record + 1]
        while place < size:
            if classes[text[place]] == _SPACE:
                place += 1
                continue
            # Nearly every piece is letters and at most one sign of punctuation: one look at each byte will do.
            start, value = place, _FNV_START
            while place < size and classes[text[place]] == _LETTER:
                value = _hash_step(value, _lower(text[place]))
                place += 1
            signs = 1 if place < size and classes[text[place]] == _LAYOUT else 0
            if place > start and (place + signs == size or classes[text[place + signs]] == _SPACE):
                entry = _find(text, start, place, value, table)
                starts[count], ends[count] = start, place
                ids[count] = table.unknown if entry == _UNSEEN else table.numbers[entry]
                count += 1
                place += signs
                continue
            plain = True
            while place < size and classes[text[place]] != _SPACE:
                plain = plain and classes[text[place]] != _OTHER
                place += 1
            if plain:
                count = _cut(text, start, place, classes, table, starts, ends, ids, count)
            else:
                starts[count], ends[count], ids[count] = start, place, _UNSEEN
                count += 1
        owners[before:count] = record
    return count


@compiled
def _cut(text, start, end, classes, table, starts, ends, ids, count):  # type: ignore[no-untyped-def]
    """Write the words of one piece of plain ASCII; return how many words there are now."""
    while start < end and classes[text[start]] != _LETTER and classes[text[start]] != _DIGIT:
        start += 1
    while start < end and classes[text[end - 1]] != _LETTER and classes[text[end - 1]] != _DIGIT:
        end -= 1
    one_word = _is_one_word(text, start, end, classes)
    begun, apostrophe = -1, -1
    for k in range(start, end + 1):
        joins = k < end and text[k] == _APOSTROPHE and begun >= 0
        joins = joins and classes[text[k - 1]] == _LETTER and classes[text[k + 1]] == _LETTER
        if k < end and (one_word or joins or classes[text[k]] == _LETTER):
            if begun < 0:
                begun, apostrophe = k, -1
            elif text[k] == _APOSTROPHE and apostrophe < 0:
                apostrophe = k
        elif begun >= 0:
            starts[count], ends[count] = begun, k
            ids[count] = _number(text, begun, k, apostrophe, table)
            count += 1
            begun = -1
    return count


@compiled
def _is_one_word(text, start, end, classes):  # type: ignore[no-untyped-def]
    for k in range(start, end):
        code = text[k]
        if classes[code] == _DIGIT or classes[code] == _GLUED:
            return True
        if code == _STOP and text[k - 1] != _STOP and text[k + 1] != _STOP:
            return True
        if code == _COLON and k + 2 < end and text[k + 1] == _SLASH and text[k + 2] == _SLASH:
            return True
    return False
