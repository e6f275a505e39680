"""textveil compare."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import textveil as tv
from textveil.cli import app


def run(*arguments):
    return CliRunner().invoke(app, ["compare", *(str(argument) for argument in arguments)])


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    points = 4 * rng.standard_normal((6, 4))[np.arange(1200) % 6] + rng.standard_normal((1200, 4))
    tv.Vocabulary([f"word{i}" for i in range(1200)], points, unknown="word0").save(tmp_path / "table.npz")
    return tmp_path / "table.npz"


def test_a_page_a_table_and_a_picture_are_written(table, tmp_path):
    pytest.importorskip("matplotlib")
    page = tmp_path / "frontier.html"
    only = "exponential,laplace,nadp-published"
    done = run("--vectors", table, "--quick", "--words", "400", "--only", only, "-o", page)
    assert done.exit_code == 0, done.exception
    assert re.search(r"keeps half of the words at epsilon = [\d.]+", done.stdout)
    assert "Laplace noise and the nearest word need a guarantee of epsilon" in done.stdout
    assert "400 words" in page.read_text()
    rows = list(csv.DictReader((tmp_path / "frontier.csv").read_text().splitlines()))
    assert {row["mechanism"] for row in rows} == {"exponential", "exponential-half", "laplace", "nadp-published"}
    assert {row["loss"] for row in rows if row["mechanism"] == "nadp-published"} == {"inf"}
    assert (tmp_path / "frontier.png").read_bytes().startswith(b"\x89PNG")


def test_pairs_are_compared_on_a_device(table, tmp_path):
    pytest.importorskip("torch")
    given = ("--vectors", table, "--quick", "--words", "400", "--only", "exponential", "--again")
    tables = []
    for device in ((), ("--device", "cpu")):
        done = run(*given, *device, "-o", tmp_path / "frontier.html")
        assert done.exit_code == 0, done.exception
        rows = csv.DictReader((tmp_path / "frontier.csv").read_text().splitlines())
        tables.append([(row["quantity"], pytest.approx(float(row["value"]), rel=1e-6)) for row in rows])
    assert tables[1] == [(name, value.expected) for name, value in tables[0]]
    assert "torch" in str(run(*given, "--device", "abacus", "-o", tmp_path / "x.html").exception)


def test_vectors_of_texts_are_compared(table, tmp_path):
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(1)
    lines = [f"{i % 2}\t" + " ".join(f"word{6 * k + i % 2}" for k in rng.integers(200, size=5)) for i in range(80)]
    (tmp_path / "data.tsv").write_text("label\ttext\n" + "\n".join(lines) + "\n")
    page = tmp_path / "vectors.html"
    given = ("--vectors", table, "--data", tmp_path / "data.tsv", "--release", "vectors", "--quick")
    done = run(*given, "--only", "privunit", "-o", page)
    assert done.exit_code == 0, done.exception
    rows = list(csv.DictReader((tmp_path / "vectors.csv").read_text().splitlines()))
    assert {row["mechanism"] for row in rows} == {"privunit", "untouched", "shuffled"}
    assert "80 vectors of texts: what mechanisms keep" in page.read_text()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--release", "letters"], "--release must be words or vectors"),
        (["-o", "frontier.txt"], "must end in .html"),
        (["-o", "nowhere/at/all.html"], "there is no folder"),
        (["--data", "data.json"], "must be a .tsv or .csv"),
        (["--quick", "--words", "0"], "--words must be at least 2"),
        (["--quick", "--only", "magic"], "no 'magic' among words"),
        (["--quick", "--only", "exponential-tight"], "no 'exponential-tight' among words of more than 1,001"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(table, tmp_path, monkeypatch, given, told):
    monkeypatch.chdir(tmp_path)
    done = run("--vectors", table, *given)
    assert isinstance(done.exception, tv.InvalidInputError)
    assert told in str(done.exception)
    assert not list(tmp_path.glob("frontier.*"))
