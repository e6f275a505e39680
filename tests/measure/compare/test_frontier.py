"""The frontier as JSON, CSV, page and picture."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import math
import re
from dataclasses import replace

import pytest

from textveil.guarantees import Status
from textveil.measure.compare import vectors, words
from textveil.measure.compare.frontier import FORMAT, Frontier, Point, Value, Way, from_json, to_json
from textveil.measure.compare.laws import CUT, EXPONENTIAL, HALF, RESPONSE, TIGHT
from textveil.measure.compare.noises import EUCLIDEAN, POINCARE
from textveil.measure.compare.page import page
from textveil.measure.compare.picture import _COLOURS, _MARKS, draw
from textveil.measure.compare.quantities import OF_WORDS
from textveil.measure.compare.tables import read_texts
from textveil.measure.compare.vector_ways import WAYS

LAWS = [EXPONENTIAL, HALF, CUT, RESPONSE]


@pytest.fixture
def frontier():
    def values(loss, kept):
        promise = {"epsilon": Value.exact(1.0), "loss": Value.exact(loss), "far": Value.exact(9.0)}
        return {**promise, "unchanged": Value(kept, kept - 0.01, kept + 0.02, "sampled"), "pair": Value.exact(0.75)}

    ways = [Way("a", "one <way> & more", 5, 0), Way("b", "as published", 0, 5, Status.REFUTED, "it </script> lies")]
    points = [Point("a", values(2.0, 0.2)), Point("a", values(3.0, 0.5)), Point("b", values(math.inf, 0.9))]
    return Frontier("A <title>", {"Radius": "1 & 2"}, OF_WORDS, ways, points, ("Half of <them>.",))


def test_the_json_has_the_documented_layout_and_no_infinities(frontier):
    made = json.loads(json.dumps(frontier.as_dict(), allow_nan=False))
    assert made["format"] == FORMAT
    assert [it["key"] for it in made["quantities"]] == ["epsilon", "loss", "far", "pair", "unchanged"]
    assert set(made["quantities"][0]) == {"key", "label", "side", "better", "scale", "note"}
    assert made["ways"][1] == {
        "key": "b", "label": "as published", "colour": 0, "mark": 5, "status": "refuted", "reason": "it </script> lies",
    }  # fmt: skip
    assert made["points"][0] == {
        "way": "a",
        "values": {
            "epsilon": [1.0, 1.0, 1.0, "exact"], "loss": [2.0, 2.0, 2.0, "exact"], "far": [9.0, 9.0, 9.0, "exact"],
            "unchanged": [0.2, 0.19, 0.22, "sampled"], "pair": [0.75, 0.75, 0.75, "exact"],
        },
    }  # fmt: skip
    assert made["points"][2]["values"]["loss"] == [None, None, None, "unbounded"]


def test_points_come_back_as_they_were(frontier):
    points = [*frontier.points, Point("a", {"loss": Value.exact(1.0)}, near=3)]
    assert from_json(to_json(points)) == points


def test_the_csv_has_a_line_for_each_value(frontier):
    rows = list(csv.DictReader(io.StringIO(frontier.as_csv())))
    assert len(rows) == 3 * 3
    assert rows[1] == {
        "mechanism": "a", "status": "proved", "epsilon": "1", "loss": "2", "quantity": "unchanged", "value": "0.2",
        "low": "0.19", "high": "0.22", "how": "sampled",
    }  # fmt: skip
    assert rows[-1]["loss"] == "inf"
    assert rows[-1]["status"] == "refuted"


def test_the_page_is_whole_and_asks_nothing_of_the_network(frontier):
    made = page(frontier)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', made)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind, tag in (("script", "script"), ("style", "style")):
        content = re.findall(rf"<{tag}>(.*?)</{tag}>", made, re.DOTALL)
        assert len(content) == 1
        digest = base64.b64encode(hashlib.sha256(content[0].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert not re.search(r"(src|href)=|url\(|@import|fetch\(|XMLHttp|https?://(?!www\.w3\.org/2000/svg)", made)
    assert "<title>A &lt;title&gt;</title>" in made
    assert "Half of &lt;them&gt;." in made


def test_the_data_of_the_page_is_the_json_and_no_text_ends_its_block(frontier):
    made = page(frontier)
    block = re.search(r'<script type="application/json" id="frontier">(.*?)</script>', made, re.DOTALL)[1]
    assert json.loads(block) == json.loads(json.dumps(frontier.as_dict()))


def test_the_page_has_words_for_those_who_can_not_see_or_use_a_mouse(frontier):
    made = page(frontier)
    for needed in ('lang="en"', 'tabindex="0"', 'aria-live="polite"', "<noscript>", 'role="group"', "<label>Across"):
        assert needed in made


def test_the_picture_shows_both_panels_and_marks_what_is_refuted(frontier):
    pytest.importorskip("matplotlib")
    figure = draw(frontier)
    assert [axes.get_xlabel() for axes in figure.axes] == [
        "proved loss at the radius (nats)",
        "words that stay as they are",
    ]
    assert [text.get_text() for text in figure.legends[0].get_texts()][1] == "as published (refuted)"


def test_what_nothing_bounds_is_drawn_apart(frontier):
    pytest.importorskip("matplotlib")
    left, right = draw(frontier).axes
    bounded, unbounded = (max(it.lines[0].get_xdata()) for it in left.containers)
    assert bounded < left.patches[0].get_x() < unbounded < math.inf
    assert "∞" in [text.get_text() for text in left.texts]
    assert not right.texts


@pytest.mark.parametrize(
    "ways",
    [
        [*LAWS, TIGHT, *(it.way for it in EUCLIDEAN), words.UNTOUCHED, words.SHUFFLED],
        [*LAWS, *(it.way for it in POINCARE), words.UNTOUCHED, words.SHUFFLED],
        [*(way for way, _ in WAYS), vectors.UNTOUCHED, vectors.SHUFFLED],
    ],
    ids=["words", "ball", "vectors"],
)
def test_no_two_mechanisms_look_alike(frontier, ways):
    assert len({way.mark for way in ways}) == len(ways)
    proved = [way.colour for way in ways if way.status is Status.PROVED]
    assert len(set(proved)) == len(proved)
    assert {way.colour for way in ways if way.status is not Status.PROVED} == {0}
    made = page(frontier)
    assert max(way.colour for way in ways) < len(_COLOURS)
    assert max(way.mark for way in ways) < len(_MARKS)
    for way in ways:
        assert f".k{way.colour} {{ stroke: var(--c{way.colour}); }}" in made
        assert made.count(f"--c{way.colour}: #") == 2
        assert way.mark == 0 or f"case {way.mark}: return" in made


def test_no_line_is_drawn_where_the_number_of_near_words_changes(frontier):
    pytest.importorskip("matplotlib")
    kept = {(1.0, 0.1): 2, (2.0, 0.2): 2, (3.0, 0.5): 1, (4.0, 0.6): 1}
    points = [
        Point("a", {**frontier.points[0].values, "loss": Value.exact(loss), "unchanged": Value.exact(share)}, near)
        for (loss, share), near in kept.items()
    ]
    jumping = replace(frontier, points=points)
    x, y = (list(part) for part in draw(jumping).axes[0].containers[0].lines[0].get_data())
    assert x[:2] + x[3:] == [1.0, 2.0, 3.0, 4.0]
    assert y[:2] + y[3:] == [0.1, 0.2, 0.5, 0.6]
    assert math.isnan(x[2])
    assert [point["near"] for point in jumping.as_dict()["points"]] == [2, 2, 1, 1]


@pytest.mark.parametrize("name", ["data.tsv", "data.csv", "data.tsv.gz", "data.tsv.xz"])
def test_texts_are_read_from_tables(tmp_path, name):
    import gzip
    import lzma

    path = tmp_path / name
    lines = 'label\ttext\n1\tsay "hi"\n0\tbye\n' if ".tsv" in name else 'label,text\n1,"say ""hi"""\n0,bye\n'
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "wt", encoding="utf-8") as file:
        file.write(lines)
    assert read_texts(path, text="text", label="label") == (['say "hi"', "bye"], ["1", "0"])
    assert read_texts(path, text="text", label="label", most=1) == (['say "hi"'], ["1"])


def test_tables_that_can_not_be_read_are_refused(tmp_path):
    path = tmp_path / "data.tsv"
    path.write_text("a\tb\n1\t2\n")
    with pytest.raises(ValueError, match="no column 'text'; it has a, b"):
        read_texts(path, text="text", label="b")
    with pytest.raises(ValueError, match=r"must be a \.tsv or \.csv"):
        read_texts(tmp_path / "data.json", text="a", label="b")
