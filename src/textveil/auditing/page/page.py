"""The page of an audit: the verdict, the pair that it rests on, and every finding."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from typing import Any

from textveil.auditing.page.figures import gauge, losses, outputs, share_beyond
from textveil.auditing.report import CERTIFYING, AuditReport, Finding, Verdict, Witness
from textveil.auditing.wording import drawn, facts, number, of_witness

_CLASSES = {Verdict.HOLDS: "holds", Verdict.VIOLATED: "violated", Verdict.NOT_CERTIFIABLE: "open"}
# A tick, a cross and a question mark: a verdict is told by its shape as well as by its colour.
_SIGNS = {
    Verdict.HOLDS: '<circle cx="8" cy="8" r="8"/><path d="M4 8.5l3 3 5-6.5" class="ink"/>',
    Verdict.VIOLATED: '<path d="M5 0h6l5 5v6l-5 5H5l-5-5V5z"/><path d="M5 5l6 6M11 5l-6 6" class="ink"/>',
    Verdict.NOT_CERTIFIABLE: '<circle cx="8" cy="8" r="8"/><circle cx="8" cy="12.5" r="1.1" class="point"/>'
    '<path d="M5.5 6a2.5 2.5 0 1 1 3.4 2.3Q8 8.7 8 9.7" class="ink"/>',
}
_MEANINGS = {
    Verdict.HOLDS: "No pair of inputs and no output breaks the promise: the whole law was looked at.",
    Verdict.VIOLATED: "Two inputs and some outputs break the promise.",
    Verdict.NOT_CERTIFIABLE: "Nothing broke the promise, and nothing shows that it holds.",
}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(report: AuditReport) -> str:
    """Return the report as a page in HTML; pictures are drawn of findings that have a curve (`curves.with_curve`)."""
    style = files("textveil.auditing.page").joinpath("style.css").read_text(encoding="utf-8")
    subject = escape(report.subject)
    body = [_opening(report), _witnessed(report), _findings(report), _footer()]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>Audit of {subject}: {report.verdict}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n{''.join(body)}</body>\n</html>\n"
    )


def _opening(report: AuditReport) -> str:
    rows = {
        **{name: escape(value) for name, value in facts(report).items() if name in ("Promise", "Found")},
        "Drawn": f"{sum(finding.samples for finding in report.findings):,} outputs",
        "False alarm": f"a mechanism that keeps its promise is accused by any of the findings with probability at most "
        f"{sum(finding.alpha for finding in report.findings):.2g}",
    }
    if not any(finding.samples for finding in report.findings):
        rows["Drawn"], rows["False alarm"] = (
            "nothing: all was computed",
            "none: what is computed accuses nobody by chance",
        )
    return (
        f'<header><p class="kicker">textveil audit</p><h1>{escape(report.subject)}</h1>'
        f'<p class="big">{_verdict(report.verdict)}</p><p>{_MEANINGS[report.verdict]}</p></header>\n{_listed(rows)}'
    )


def _witnessed(report: AuditReport) -> str:
    """Return the pair of the finding that has a picture, or else of the one that decides."""
    drawn = [finding for finding in report.findings if finding.curve and finding.witness]
    shown = drawn[0] if drawn else report.deciding
    if shown is None or shown.witness is None:
        return ""
    witness, title = shown.witness, "The pair that comes nearest to breaking the promise"
    if shown.verdict is Verdict.VIOLATED:
        title = "The pair that breaks the promise"
    elif shown.method not in CERTIFYING:
        title = "One of the pairs that were tried"
    rows = {name: escape(value) for name, value in of_witness(shown, witness).items()}
    if math.isfinite(witness.distance):
        rows["Distance"] = number(witness.distance)
    figures = "".join(_figures(shown, witness, report.claim.delta))
    return f'<h2>{title}</h2>\n{_listed(rows)}<div class="pictures">{figures}</div>\n'


def _figures(finding: Finding, witness: Witness, delta: float) -> Iterable[str]:
    curve = finding.curve
    if told := losses(finding, witness):
        yield f"<figure>{told}<figcaption>{_told_of_losses(curve, witness, delta)}</figcaption></figure>"
    if told := outputs(curve):
        where = (
            "How often outputs of x and of x' lie where." if "at" in curve else "The outputs whose chances differ most."
        )
        yield f"<figure>{told}<figcaption>{where}</figcaption></figure>"


def _told_of_losses(curve: dict[str, list[Any]], witness: Witness, delta: float) -> str:
    allowed = f"; delta allows for some that pass it ({delta:.3g})" if delta else ""
    claimed = f"Shaded is what was claimed for this pair{allowed}." if math.isfinite(witness.claimed) else ""
    if "share" in curve:
        beyond = share_beyond(curve, witness)
        passing = f"{100 * beyond:.2g}% of them pass it." if beyond else "None that is shown passes it."
        return f"How much outputs tell the two inputs apart. {claimed} {passing if claimed else ''}"
    order = f", in the order of: {escape(curve['score'][0])}" if "score" in curve else ""
    return (
        f"How much outputs tell the two inputs apart, estimated from new ones{order}. {claimed} The limits hold for "
        "all of them together in 95% of such pictures."
    )


def _findings(report: AuditReport) -> str:
    cards = "".join(_card(finding, report.claim.epsilon) for finding in report.findings)
    return f'<h2>What was looked at</h2>\n<ul class="findings">{cards}</ul>\n'


def _card(finding: Finding, claimed: float) -> str:
    kind = _CLASSES[finding.verdict]
    return (
        f'<li class="{kind}-card"><div class="head"><h3>{escape(finding.name)}</h3>{_verdict(finding.verdict)}</div>'
        f'<p>{escape(finding.explanation)}</p><div class="gauge">{gauge(finding, claimed)}</div>'
        f'<p class="small-print">{escape(drawn(finding))}</p></li>\n'
    )


def _footer() -> str:
    rows = "".join(f"<tr><th>{_verdict(verdict)}</th><td>{meaning}</td></tr>" for verdict, meaning in _MEANINGS.items())
    note = "The inputs of an audit are public. Outputs can show that a promise is broken, and never that it holds."
    return f"<footer><table>{rows}</table><p>{note}</p></footer>\n"


def _verdict(verdict: Verdict) -> str:
    sign = f'<svg viewBox="0 0 16 16" class="sign" aria-hidden="true">{_SIGNS[verdict]}</svg>'
    return f'<span class="verdict {_CLASSES[verdict]}">{sign}{verdict}</span>'


def _listed(rows: dict[str, str]) -> str:
    return f"<dl>{''.join(f'<dt>{name}</dt><dd>{value}</dd>' for name, value in rows.items())}</dl>\n"
