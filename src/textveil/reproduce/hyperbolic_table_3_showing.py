"""Counts of texts given to their authors: tables, a picture, and a section of documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from textveil.measure.picture import blank
from textveil.reproduce.hyperbolic_laws import (
    ANY_WORD,
    EXPONENTIAL,
    IDLE,
    NO_NOISE,
    ORIGINAL,
    PUBLISHED,
    SHUFFLED,
    shared_draws,
    shown_as,
)
from textveil.reproduce.panels import legend_below
from textveil.reproduce.pivots import Pivot
from textveil.reproduce.repeats import told
from textveil.reproduce.sections import markdown_table

Record = Mapping[str, Any]

CLEAN, REWRITTEN = "clean", "rewritten"
TITLE = {
    CLEAN: "Texts given to their true authors; the attacker knows clean texts of the authors",
    REWRITTEN: "The same; the attacker knows texts of the authors that were rewritten in the same way",
}
# Why ours differ from the paper's, by the way of writing.
WHY = {
    ORIGINAL: "the same attack with other random halves and pieces",
    NO_NOISE: "not in the paper: what the vocabulary alone changes, since words outside it become one word",
    PUBLISHED: "the paper names neither its chain's covariance and steps nor what becomes of words outside its "
    "vocabulary, which is not published; here the identity, 600, and one word for all of them",
    EXPONENTIAL: "another mechanism on the same words, which keeps its epsilon; the paper's numbers are of its own",
    ANY_WORD: "not in this table of the paper: the floor, which knows nothing of the word",
    SHUFFLED: "not in the paper: pieces of known texts with their authors in a random order: nothing can be found out",
}


def tables(records: Sequence[Record]) -> tuple[Table, ...]:
    """Return a table for each attacker, and one of reasons."""
    made = [
        Pivot(f"{title}. Mean, 95% interval; the paper's in brackets", *grid(records, attacker)).rich()
        for attacker, title in TITLE.items()
    ]
    reasons = Table("written by", "reason", title="Why they differ", title_justify="left")
    for way, why in WHY.items():
        reasons.add_row(shown_as(way), why)
    return (*made, reasons)


def grid(records: Sequence[Record], attacker: str) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of one attacker's table."""
    own = [record for record in records if record["attacker knows"] == attacker or record["way"] == ORIGINAL]
    counts = {record["problem"]: record["of"] for record in own}
    rows = []
    for way, epsilon in dict.fromkeys((record["way"], record["epsilon"]) for record in own):
        cells = {r["problem"]: _cell(r) for r in own if (r["way"], r["epsilon"]) == (way, epsilon)}
        rows.append([shown_as(way), "-" if epsilon is None else f"{epsilon:g}", *(cells[name] for name in counts)])
    return ["written by", "epsilon", *(f"{name}, {count} texts" for name, count in counts.items())], rows


def _cell(record: Record) -> str:
    paper = "" if record["paper"] is None else f" ({record['paper']})"
    return told(record, 1) + paper


def findings(records: Sequence[Record]) -> list[str]:
    """Return what the numbers say, each as a sentence."""
    by = {(r["problem"], r["way"], r["epsilon"], r["attacker knows"]): r["mean"] for r in records}
    names = list(dict.fromkeys(record["problem"] for record in records))
    apart = [
        f"{name} {by[name, ORIGINAL, None, CLEAN]:.1f} (paper {paper})"
        for name, paper in ((r["problem"], r["paper"]) for r in records if r["way"] == ORIGINAL)
    ]
    lines = ["Without rewriting: " + ", ".join(apart) + "."]
    least = min(epsilon for _, way, epsilon, _ in by if way == PUBLISHED)
    doubled = [f"{name} {' to '.join(f'{by[name, PUBLISHED, least, one]:.1f}' for one in TITLE)}" for name in names]
    lines.append(
        "From clean to rewritten texts known, which the paper does not tell apart, with the paper's mechanism measured "
        f"here at epsilon {least:g}: {'; '.join(doubled)}."
    )
    for way in (PUBLISHED, EXPONENTIAL):
        for attacker in (CLEAN, REWRITTEN):
            falls = [f"{name} {' '.join(_path(by, name, way, attacker))}" for name in names]
            known = f"attacker knows {attacker} texts"
            lines.append(f"{shown_as(way)}, measured here, {known}, as epsilon falls: {'; '.join(falls)}.")
    floors = [
        f"{name} {by[name, ANY_WORD, None, CLEAN]:.1f} and {by[name, ANY_WORD, None, REWRITTEN]:.1f}" for name in names
    ]
    lines.append(
        f"Any word instead (clean, rewritten known): {'; '.join(floors)}: what stop words and layout alone tell."
    )
    return lines


def _path(by: Mapping[tuple[Any, ...], float], name: str, way: str, attacker: str) -> list[str]:
    """Return the counts from no rewriting on down to the smallest epsilon."""
    epsilons = sorted((key[2] for key in by if key[:2] == (name, way) and key[3] == attacker), reverse=True)
    counts = [by[name, ORIGINAL, None, CLEAN], *(by[name, way, epsilon, attacker] for epsilon in epsilons)]
    return [f"{count:.1f}".removesuffix(".0") for count in counts]


def _runs(records: Sequence[Record]) -> str:
    """Return how many runs the cells have, by problem where they are not the same in all."""
    found: dict[str, set[int]] = {}
    for record in records:
        found.setdefault(record["problem"], set()).add(record["runs"])
    most = max(max(runs) for runs in found.values())
    fewer = [
        f"{name} {' to '.join(str(one) for one in dict.fromkeys((min(runs), max(runs))))}"
        for name, runs in found.items()
        if min(runs) < most
    ]
    return f"{most}" + (f" (so far {', '.join(fewer)})" if fewer else "")


def section(records: Sequence[Record], words: int) -> str:
    """Return the results as a section of documentation."""
    parts = [
        "## Paper 2, Table III: authorship",
        "`textveil reproduce hyperbolic-table-3 --data FOLDER` attacks the texts of PAN 2011 and 2012 after Koppel et "
        f"al. (2011); all words but stop words are rewritten, with {words:,} words of Hearst patterns in the "
        "100-dimensional ball in the place of WebIsADb's. Mean of the texts given to their true authors over "
        f"{_runs(records)} runs, with its 95% interval; there is none where one run was made or all were equal. The "
        "paper's count in brackets.",
        f"{shared_draws()} {IDLE} Which halves of the features and which pieces an attack looks at is the same in all "
        "rows of a run (common random numbers), and drawn anew for each run.",
    ]
    for attacker, title in TITLE.items():
        header, rows = grid(records, attacker)
        parts += [f"{title}:", markdown_table(header, rows)]
    parts += ["\n".join(f"- {line}" for line in findings(records))]
    parts += ["Why they differ:", "\n".join(f"- *{shown_as(way)}*: {why}." for way, why in WHY.items())]
    return "\n\n".join(parts)


def drawing(records: Sequence[Record]) -> Any:
    """Draw a panel for each problem: counts against epsilon, and as lines what does not depend on it."""
    names = list(dict.fromkeys(record["problem"] for record in records))
    across = min(3, len(names))
    figure = blank(3.6 * across, 3.1 * -(-len(names) // across) + 0.8)
    panels = list(figure.subplots(-(-len(names) // across), across, squeeze=False).flat)
    for axes, name in zip(panels, names, strict=False):
        _draw_panel(axes, [record for record in records if record["problem"] == name])
        axes.set_title(name, loc="left", fontsize=10)
    for axes in panels[len(names) :]:
        axes.remove()
    legend_below(figure, columns=3)
    return figure


def _draw_panel(axes: Any, records: Sequence[Record]) -> None:
    looks = {PUBLISHED: ("#d55e00", "s"), EXPONENTIAL: ("#0072b2", "o")}
    for way, (colour, mark) in looks.items():
        for attacker, dashes in ((CLEAN, "-"), (REWRITTEN, "--")):
            own = [r for r in records if (r["way"], r["attacker knows"]) == (way, attacker)]
            axes.errorbar(
                [r["epsilon"] for r in own], [r["mean"] for r in own], yerr=[r["around"] or 0.0 for r in own],
                color=colour, linestyle=dashes, marker=mark, markersize=3.5, linewidth=1.4, capsize=2,
                label=f"{shown_as(way)}, {attacker} texts known",
            )  # fmt: skip
    paper = [r for r in records if r["way"] == PUBLISHED and r["attacker knows"] == CLEAN]
    axes.plot(
        [r["epsilon"] for r in paper], [r["paper"] for r in paper],
        ":", color="#555555", marker="D", markersize=3.5, linewidth=1.2, label="paper's table",
    )  # fmt: skip
    for way, dots in ((ORIGINAL, "-"), (NO_NOISE, "-."), (ANY_WORD, ":")):
        (level,) = [r["mean"] for r in records if (r["way"], r["attacker knows"]) == (way, CLEAN)]
        axes.axhline(level, color="#999999", linestyle=dots, linewidth=1.1, label=f"{way}, clean texts known")
    axes.set_xscale("log", base=2)
    axes.set_xticks([r["epsilon"] for r in paper], [f"{r['epsilon']:g}" for r in paper])
    axes.minorticks_off()
    axes.set_ylim(0)
    axes.set(xlabel="epsilon", ylabel=f"texts of {records[0]['of']}")
    axes.spines[["top", "right"]].set_visible(False)
