"""Prints what caught each exhibit, after the tests."""

from __future__ import annotations


def pytest_terminal_summary(terminalreporter):
    rows = [dict(report.user_properties) for report in terminalreporter.getreports("passed")]
    shown = [row for row in rows if "exhibit" in row]
    for row in shown:
        terminalreporter.write_line(f"{row['exhibit']:<64} {row['caught by']:<42} twin: {row['twin']}")
