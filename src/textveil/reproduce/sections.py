"""Results written into a page of documentation by the command that measured them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textveil.durable import write_whole
from textveil.errors import InvalidInputError


def write_section(page: Path, name: str, text: str) -> None:
    """Put a section into a page, in place of the one that the same command wrote before, or at its end with a heading.

    Parameters
    ----------
    page : a Markdown file
    name : of the reproduction
    text : Markdown
    """
    first, last = f"<!-- made by: textveil reproduce {name} -->", f"<!-- end of {name} -->"
    section = f"{first}\n{text.strip()}\n{last}\n"
    before = page.read_text(encoding="utf-8")
    if first in before:
        head, _, rest = before.partition(first)
        _, found, tail = rest.partition(f"{last}\n")
        if not found:
            raise InvalidInputError(f"{page} has the beginning of the section {name} and not its end; mend it by hand")
        after = head + section + tail
    else:
        heading = "" if text.startswith("#") else f"## {name}\n\n"
        after = f"{before.rstrip()}\n\n{heading}{section}"
    write_whole(page, after.encode("utf-8"))


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
