"""Which column holds what is released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from textveil.errors import InvalidInputError

MOST_NAMES = 50


class Holds(StrEnum):
    """What a record holds that is private."""

    TEXTS = "texts"
    # Texts, or lists of sentences.
    DOCUMENTS = "documents"
    VECTORS = "vectors"


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Where the texts or vectors of a file are.

    Parameters
    ----------
    column : the name of a column (csv, parquet, Arrow), key (jsonl) or array (npz), or its number from 1
    header : whether the first row of a csv file names the columns; by default it must, if the column is given by name,
        and must be said otherwise, since a first row taken for a header is released as it is
    delimiter : what separates the fields of a csv file; by default a comma, or a tab for tsv
    holds : whether the column holds texts, documents or vectors
    """

    column: str | int | None = None
    header: bool | None = None
    delimiter: str | None = None
    holds: Holds = Holds.TEXTS

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", Holds(self.holds))
        if self.delimiter is None or self.delimiter == "\t":
            return
        if len(self.delimiter) != 1 or not " " <= self.delimiter <= "~" or self.delimiter == '"':
            raise InvalidInputError(
                f"delimiter must be one ASCII character but no quote, such as ';' (got {self.delimiter!r})"
            )

    def find(self, names: Sequence[str], where: str, *, named: bool = True, shown: bool = True) -> int:
        """Return the index of the selected column.

        Parameters
        ----------
        names : the columns there are
        where : the file, for messages
        named : whether columns have names of their own
        shown : whether messages may list them; not if they may be a record that was taken for a header
        """
        there = f"{where} has {len(names)} column{'s' * (len(names) != 1)}"
        there += f": {listed(names)}" if named and shown else ""
        if self.column is None:
            if len(names) == 1:
                return 0
            raise InvalidInputError(f"{there}; say which one holds the {self.holds} with --column (column=)")
        if named and isinstance(self.column, str) and self.column in names:
            if list(names).count(self.column) > 1:
                raise InvalidInputError(f"{there}; more than one is called {self.column!r}: give its number, from 1")
            return list(names).index(self.column)
        number = int(self.column) if str(self.column).isascii() and str(self.column).isdigit() else None
        if number is not None and 1 <= number <= len(names):
            return number - 1
        if named:
            lists = "" if shown else " (--header lists them)"
            raise InvalidInputError(
                f"no column {self.column!r}: {there}{lists}; give the name of one, or its number from 1"
            )
        raise InvalidInputError(
            f"no column {self.column!r}: {there} without names; give a number from 1 to {len(names)}"
        )


def listed(names: Sequence[str]) -> str:
    """Return names for a message, not more than fifty."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    # A key of JSON may be half a surrogate pair, which nothing can write.
    return ", ".join(names[:MOST_NAMES]).encode("utf-8", errors="backslashreplace").decode() + more
