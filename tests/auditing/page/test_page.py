"""The page of an audit: whole, by itself, and harmless whatever the inputs are called."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import textveil as tv
from textveil.auditing import AuditReport, Finding, Method, Witness
from textveil.auditing.curves import with_curve
from textveil.auditing.page import page
from textveil.auditing.page.drawing import Scale
from textveil.auditing.page.figures import gauge, losses, share_beyond
from textveil.guarantees import local_privacy

CLAIM = local_privacy(1.0, unit=tv.Unit.WORD)
VOID = {"meta", "line", "rect", "circle", "path", "polyline"}
WITNESS = Witness(pair=("a", "b"), event="the output 'a'", distance=1.0, loss=2.0, claimed=1.0)
FINDING = Finding(
    name="outputs",
    method=Method.BLACK_BOX,
    verdict=tv.Verdict.VIOLATED,
    explanation="It is.",
    bound=2.0,
    witness=WITNESS,
)


class Tags(HTMLParser):
    """Checks that tags are closed in order, and collects what could ask for something outside."""

    def __init__(self, text):
        super().__init__()
        self.open, self.outside, self.tags = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.outside += [name for name, _ in attributes if name in ("src", "href", "xlink:href", "onload", "onclick")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def drawn(mechanism, **how):
    report = tv.audit(mechanism, source=tv.RandomSource.seeded(1), **how)
    return with_curve(report, mechanism, source=tv.RandomSource.seeded(2))


def of(finding):
    return AuditReport(subject="mine", claim=CLAIM, findings=(finding,))


@pytest.mark.parametrize(
    "make",
    [
        lambda: tv.ClippedLaplace(epsilon=1.0, clip=1.0, dimension=32, variant="published"),
        lambda: tv.Exponential(tv.Vocabulary(list("abcd"), np.array([[0.0], [1.0], [3.0], [7.0]])), epsilon=1.0),
        lambda: tv.HyperbolicLaplace(epsilon=2.0, dimension=2, variant="published"),
        lambda: tv.PrivUnit(epsilon=1.0, dimension=3, sampler="beta"),
    ],
    ids=["noise", "words", "infinite", "conditional"],
)
def test_a_page_is_whole_and_asks_nothing_of_the_network(make):
    report = drawn(make(), methods=["exact", "analytic"])
    text = page(report)
    tags = Tags(text)
    assert tags.open == []
    assert tags.outside == []
    assert not tags.tags & {"script", "link", "img", "iframe"}
    assert "default-src 'none'" in text
    assert not re.search(r"https?://|url\(|@import", text)
    assert "prefers-color-scheme: dark" in text
    assert text.count("<figure>") == 2
    assert not re.search(
        r"\b(nan|inf)\b", re.sub(r"<style>.*?</style>|<dd>.*?</dd>|<p>.*?</p>", "", text, flags=re.DOTALL)
    )
    assert str(report.verdict) in text


def test_what_inputs_are_called_is_no_markup():
    name = "<script>alert(1)</script>"
    witness = replace(WITNESS, pair=(name, name + "b"), event=name)
    finding = replace(FINDING, name=name, explanation=name, witness=witness)
    finding = replace(
        finding, curve={"output": [name], "from_x": [1.0], "from_y": [0.5], "share": [1.0], "loss": [0.7]}
    )
    finding.curve["score"] = [name]
    text = page(replace(of(finding), subject=name))
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 6
    assert Tags(text).open == []


def test_verdicts_differ_in_shape_and_not_in_colour_alone():
    signs = set()
    for verdict in tv.Verdict:
        text = page(of(replace(FINDING, verdict=verdict, method=Method.EXACT)))
        signs.add(re.search(r'class="big">.*?<svg.*?>(.*?)</svg>', text)[1])
    assert len(signs) == 3


def test_the_gauge_has_the_claim_and_what_was_found():
    assert "at least 2" in gauge(FINDING, 1.0)
    assert "claimed 1" in gauge(FINDING, 1.0)
    assert "true epsilon ∞" in gauge(replace(FINDING, method=Method.EXACT, bound=math.inf), 1.0)
    assert gauge(replace(FINDING, bound=math.nan), 1.0) == ""
    assert gauge(replace(FINDING, bound=0.0), 1.0) == ""


@pytest.mark.parametrize(("bound", "side"), [(0.5, -1), (3.0, 1)])
def test_the_gauge_has_a_breach_on_the_other_side_of_the_claim(bound, side):
    drawn = gauge(replace(FINDING, method=Method.EXACT, bound=bound), 1.0)
    found = float(re.search(r'<circle cx="([\d.]+)"', drawn)[1])
    claimed = float(re.search(r'<line x1="([\d.]+)" y1="20"', drawn)[1])
    assert math.copysign(1, found - claimed) == side


def test_losses_beyond_the_claim_are_marked():
    kept = {"share": [0.5, 1.0], "loss": [-1.0, 1.0]}
    broken = {"share": [0.25, 1.0], "loss": [-3.0, 1.0]}
    assert 'class="broken"' not in losses(replace(FINDING, curve=kept), WITNESS)
    assert 'class="broken"' in losses(replace(FINDING, curve=broken), WITNESS)
    with_delta = replace(FINDING, curve=broken, verdict=tv.Verdict.HOLDS)
    assert 'class="broken"' not in losses(with_delta, WITNESS)
    assert share_beyond(kept, WITNESS) == 0
    assert share_beyond(broken, WITNESS) == pytest.approx(0.25)
    assert share_beyond({"loss": [1.0]}, WITNESS) is None
    estimates = {"middle": [0.5], "loss": [2.0], "low": [1.1], "high": [math.inf], "score": ["s"]}
    assert 'class="broken"' in losses(replace(FINDING, curve=estimates), WITNESS)
    assert 'class="broken"' not in losses(replace(FINDING, curve=estimates | {"low": [0.9]}), WITNESS)
    assert losses(FINDING, WITNESS) == ""
    assert "claimed" not in losses(replace(FINDING, curve=kept), replace(WITNESS, claimed=math.nan))


def test_a_scale_has_round_ticks_and_keeps_to_its_ends():
    scale = Scale(-4.8, 4.8, 0, 100)
    assert scale.ticks() == [-4, -2, 0, 2, 4]
    assert (scale(-4.8), scale(0), scale(math.inf), scale(-math.inf)) == (0, 50, 100, 0)
    assert 3 <= len(Scale(0, 0.013, 0, 1).ticks()) <= 8
