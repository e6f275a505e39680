"""textveil reproduce: a whole paper by one name, and what can't be done is refused before anything is computed."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from rich.table import Table
from typer.testing import CliRunner

import textveil as tv
from textveil.cli import app
from textveil.errors import MissingDependencyError
from textveil.reproduce import PAPERS, REPRODUCTIONS, Entry, planned, reproduce
from textveil.reproduce.reproduction import Reproduction

NAMES = ("made-figure", "made-numbers", "made-section")


@pytest.fixture
def calls(monkeypatch):
    """A made-up paper of three parts; returns what they were called with."""
    calls = []

    def part(name, draw=None, text=""):
        def compute(**options):
            calls.append((name, options))
            return Reproduction(numbers={"name": name}, tables=(Table(title=name),), draw=draw, text=text)

        return compute

    def drawn():
        from textveil.measure.picture import blank

        return blank(1, 1)

    made = SimpleNamespace(figure=part("figure", drawn), numbers=part("numbers"), section=part("section", None, "## S"))
    monkeypatch.setitem(sys.modules, "textveil.reproduce.made", made)
    monkeypatch.setitem(REPRODUCTIONS, NAMES[0], Entry("made", "figure", "a picture"))
    monkeypatch.setitem(
        REPRODUCTIONS, NAMES[1], Entry("made", "numbers", "numbers", None, draws=False, needs_torch=True)
    )
    monkeypatch.setitem(REPRODUCTIONS, NAMES[2], Entry("made", "section", "a section", True, draws=False))
    monkeypatch.setitem(PAPERS, "made", NAMES)
    monkeypatch.setitem(PAPERS, "half", NAMES[:2])
    # As if torch were there.
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(__spec__=SimpleNamespace()))
    return calls


def asked(*arguments):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def test_a_paper_is_all_of_its_parts_with_the_options_that_they_take(calls, tmp_path):
    pytest.importorskip("matplotlib")
    page, folder = tmp_path / "page.md", tmp_path / "new"
    page.write_text("# Results\n")
    done = asked("made", "--data", tmp_path, "-o", folder, "--report", page)
    assert done.exit_code == 0, done.output
    options = {"data": tmp_path, "quick": False}
    assert calls == [("figure", {}), ("numbers", options), ("section", options)]
    assert sorted(path.name for path in folder.iterdir()) == [
        "made-figure.json", "made-figure.png", "made-numbers.json", "made-section.json"
    ]  # fmt: skip
    assert page.read_text().count("<!-- made by: textveil reproduce made-section -->\n## S\n") == 1
    assert page.read_text().count("<!-- made by: textveil reproduce made-figure -->\nfigure\n") == 1
    assert page.read_text().count("made by") == 3
    quick = asked("made", "--data", tmp_path, "--quick", "-o", folder)
    assert quick.exit_code == 0
    assert calls[3:] == [("section", {"data": tmp_path, "quick": True})]
    assert "Left out by --quick: made-figure, made-numbers." in quick.output


def test_what_can_t_be_done_is_refused_before_anything_is_computed(calls, tmp_path):
    page, file = tmp_path / "page.md", tmp_path / "file"
    page.write_text("before")
    file.write_text("before")
    given = ("made", "--data", tmp_path)
    for arguments, message in (
        (("made",), "made-section reads public data sets: name their folder by --data"),
        ((*given, "-o", file), "made is a whole paper: --output must be a folder"),
        ((*given, "-o", tmp_path / "new.png"), "--output must be a folder"),
        ((*given, "-o", tmp_path / "no" / "new"), "there is no folder"),
        ((*given, "--report", tmp_path / "no.md"), "there is no page"),
        ((*given, "--report", page, "--quick"), "a section is written of a whole run only"),
        (("made-figure", "--quick"), "made-figure has no quick part"),
        (("mode",), "did you mean made? known: adept-figure-1"),
    ):
        done = asked(*arguments)
        assert isinstance(done.exception, tv.InvalidInputError), arguments
        assert message in str(done.exception)
    assert calls == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "page.md"]
    assert page.read_text() == "before"


def test_what_trains_says_that_it_needs_torch_before_anything_is_computed(calls, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    done = asked("made", "--data", tmp_path)
    assert isinstance(done.exception, MissingDependencyError)
    assert "made-numbers needs torch" in str(done.exception)
    assert calls == []
    assert asked("half").exit_code == 0, "without data nothing is trained"
    for name in ("sentdp-figure-4", "adept-intents", "adept-attack", "sentdp", "adept"):
        with pytest.raises(MissingDependencyError, match="needs torch"):
            planned(name, data=tmp_path)


def test_papers_are_listed_with_their_parts():
    for asking in ((), ("--help",)):
        told = " ".join(asked(*asking).output.split())
        assert "sentdp all of: sentdp-table-1, sentdp-figure-4, sentences" in told
    assert set().union(*PAPERS.values()) == set(REPRODUCTIONS) - {"privemb", "nadp"}
    with pytest.raises(tv.InvalidInputError, match="name one of adept-figure-1"):
        reproduce("adept", data=None)
