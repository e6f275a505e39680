"""All exhibits, and the page of the museum: `python -m tests.auditing.museum.catalogue` writes docs/museum.md."""

from __future__ import annotations

from pathlib import Path

from tests.auditing.museum import laws, noise, projections, runs, texts

PAGE = Path(__file__).parents[3] / "docs" / "museum.md"
ROOMS = {
    "Noise on vectors": noise.EXHIBITS,
    "Projections, averages, neighbourhoods": projections.EXHIBITS,
    "Laws over words": laws.EXHIBITS,
    "Noise that comes again": runs.EXHIBITS,
    "Words and texts": texts.EXHIBITS,
}
EXHIBITS = {exhibit.name: exhibit for room in ROOMS.values() for exhibit in room}

_HEAD = """# The museum of broken mechanisms

Each of these was published or shipped, or is what a careful reader makes of a careless description. All are written
anew in `tests/auditing/museum`, from what was said about them, and stand beside a correct twin. The auditor must accuse
each of them and none of the twins, with a false-accusation probability of 10^-6 for each examination:
`tests/auditing/museum/test_museum.py::test_the_broken_is_accused_and_its_twin_is_not`.

"Black box" means that outputs of two inputs were compared; "exact" that every chance of a finite law was; "analytic"
that the law is a formula; the rest are [checks of what is around the noise](auditing-checks.md).

This page is written by `python -m tests.auditing.museum.catalogue`.
"""


def page() -> str:
    """The page of the museum, of what the exhibits say of themselves."""
    parts = [_HEAD]
    for room, exhibits in ROOMS.items():
        rows = [f"| {one.name} | {one.shipped} | {one.flaw} | {one.caught_by} |" for one in exhibits]
        head = ["| exhibit | published or shipped by | why it is wrong | caught by |", "|---|---|---|---|"]
        parts.append("\n".join([f"## {room}", "", *head, *rows, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
