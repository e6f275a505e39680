"""An audit on the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from textveil.auditing import AuditReport

_STYLES = {"holds": "bold blue", "violated": "bold red", "not certifiable": "bold"}
_SIGNS = {"holds": "✔", "violated": "✖", "not certifiable": "?"}


def print_report(console: Console, report: AuditReport, audited: str) -> None:
    """Print what was audited, the verdict, the promise, the pair behind the verdict, and every finding."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from textveil.auditing.wording import drawn, facts

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row("Audited", Text(audited))
    grid.add_row("Verdict", verdict_of(report.verdict))
    for name, value in facts(report).items():
        grid.add_row(name, Text(value))
    console.print(grid)
    console.print()
    for finding in report.findings:
        console.print(Text.assemble(verdict_of(finding.verdict), f"  {finding.name} ({drawn(finding)})"))
        console.print(Padding(Text(finding.explanation), (0, 0, 0, 2)))


def table_of(reports: dict[str, AuditReport]) -> Table:
    """Return a row for each audit: what, what is said of its promise, and what was found."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("mechanism", "promise", "claimed", "found", "verdict", "by"):
        table.add_column(column, justify="right" if column in ("claimed", "found") else "left", no_wrap=True)
    table.columns[0].no_wrap = False
    for name, report in reports.items():
        found = "" if math.isnan(report.bound) else f"{report.bound:.4g}"
        cells = (name, str(report.claim.status), f"{report.claim.epsilon:.4g}", found)
        table.add_row(*cells, verdict_of(report.verdict), str(report.method or ""))
    return table


def verdict_of(verdict: str) -> Text:
    """Return a verdict with a sign and a colour."""
    from rich.text import Text

    return Text(f"{_SIGNS[verdict]} {verdict}", style=_STYLES[verdict])
