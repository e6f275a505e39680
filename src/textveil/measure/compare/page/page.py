"""Put a frontier, the script that draws it and its style into one page."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files

from textveil.measure.compare.frontier import Frontier


def page(frontier: Frontier) -> str:
    """Return the frontier as a page in HTML. Its policy allows this very script and style, and no request at all."""
    script, style = (_part(name) for name in ("page.js", "style.css"))
    policy = f"default-src 'none'; script-src '{_sha256(script)}'; style-src '{_sha256(style)}'; base-uri 'none'"
    # A "<" in a text must not end the block.
    data = json.dumps(frontier.as_dict(), ensure_ascii=False).replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{escape(frontier.title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{_body(frontier)}"
        f'<script type="application/json" id="frontier">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n'
    )


def _body(frontier: Frontier) -> str:
    findings = "".join(f"<li>{escape(finding)}</li>" for finding in frontier.findings)
    findings = f'<ul class="findings">{findings}</ul>' if findings else ""
    about = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in frontier.about.items())
    return (
        f'<header><p class="kicker">textveil compare</p><h1>{escape(frontier.title)}</h1></header>\n'
        f"{findings}\n"
        '<form class="choices"><label>Across <select id="across"></select></label>'
        '<label>Up <select id="up"></select></label></form>\n'
        '<div class="plot"><svg id="plot" tabindex="0" role="application" aria-describedby="how"></svg>'
        '<div id="told" class="told" role="status" aria-live="polite" hidden></div></div>\n'
        '<p id="how" class="quiet">Point at a mark, or focus the plot and use the arrow keys: left and right along a '
        "line, up and down to another. A line with dashes belongs to a promise that is refuted; at ∞ nothing bounds "
        "the loss. Bars are intervals of 95%.</p>\n"
        '<div id="legend" class="legend" role="group" aria-label="Mechanisms shown"></div>\n'
        '<p id="notes" class="quiet"></p>\n'
        f"<h2>What was compared</h2>\n<dl>{about}</dl>\n<details><summary>All points as a table</summary>"
        '<div class="scroll"><table id="table"></table></div></details>\n'
        "<noscript><p>The plot needs JavaScript; the numbers are in the CSV file beside this page.</p></noscript>\n"
    )


def _part(name: str) -> str:
    return files("textveil.measure.compare.page").joinpath(name).read_text(encoding="utf-8")


def _sha256(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
