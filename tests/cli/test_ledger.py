from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from textveil.cli import app, main
from textveil.errors import InvalidInputError


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def called(*arguments, code=0):
        done = CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)
        assert done.exit_code == code, done.output
        return done.output

    return called


@pytest.fixture
def vectors(tmp_path):
    np.save(tmp_path / "in.npy", np.zeros((4, 6), dtype=np.float32))
    return [tmp_path / "in.npy", "--mechanism", "privunit", "--clip", "1", "--epsilon", "2"]


def test_a_budget_is_made_shown_spent_and_exported(run, vectors):
    assert "at most epsilon 5 for each record" in run(
        "ledger", "init", "b.db", "--dataset", "notes", "--unit", "record", "--epsilon", "5"
    )
    assert "the sum of the entries" in run("ledger", "check", "b.db")
    paid = ["--ledger", "b.db", "--dataset", "notes"]
    told = run("embed", *vectors, "-o", "out.npy", *paid, "--preview")
    assert "Cost     epsilon 2 for each record" in told
    assert "after this release: epsilon 2 of 5 (left 3)" in told
    assert run("ledger", "history", "b.db").strip() == "Nothing was reserved yet."
    run("embed", *vectors, "-o", "out.npy", *paid)
    run("embed", *vectors, "-o", "north.npy", *paid, "--part", "north")
    shown = run("ledger", "show", "b.db")
    assert "80.0%  epsilon 4 of 5 (left 1)" in shown
    assert "━" in shown
    head, *history = run("ledger", "history", "b.db", "--dataset", "notes").splitlines()
    assert head.startswith("data set  number")
    assert len(history) == 2
    assert "committed" in history[0]
    assert "part north: epsilon 2" in history[1]
    assert [entry["epsilon"] for entry in json.loads(run("ledger", "export", "b.db"))] == ["2", "2"]
    for target in ("b.db", "link.db"):
        Path("link.db").unlink(missing_ok=True)
        Path("link.db").symlink_to("b.db")
        with pytest.raises(InvalidInputError, match="is what is read"):
            run("ledger", "export", "b.db", "-o", target, "--overwrite")
    Path("b.txt").touch()
    with pytest.raises(InvalidInputError, match=r"b.txt exists; give --overwrite"):
        run("ledger", "export", "b.db", "-o", "b.txt")
    run("ledger", "export", "b.db", "-o", "b.txt", "--overwrite")
    assert json.loads(Path("b.txt").read_text()) == json.loads(run("ledger", "export", "b.db"))
    run("ledger", "export", "b.db", "-o", "b.csv")
    assert run("ledger", "export", "b.db", "--format", "csv") == Path("b.csv").read_text()
    with open("b.csv", encoding="utf-8", newline="") as file:
        assert [row["part"] for row in csv.DictReader(io.StringIO(file.read()))] == ["", "north"]
    assert "b.db has it as entry 1 of notes" in run("verify", "out.npy", "--ledger", "b.db")


def test_the_sum_says_which_pairs_it_is_for(run, tmp_path):
    (tmp_path / "in.txt").write_text("the doctor gave me aspirin\n")
    run("ledger", "init", "b.db", "--dataset", "notes", "--unit", "record", "--epsilon", "500")
    rewrite = ["rewrite", "in.txt", "-o", "out.txt", "--epsilon", "2", "--words", "2000"]
    run(*rewrite, "--ledger", "b.db", "--dataset", "notes")
    assert "the sum is for two that all releases are about: texts of equal length" in run("ledger", "show", "b.db")


def test_a_reservation_is_cancelled_by_its_name(run):
    from tests.ledger.conftest import costing

    from textveil.ledger import Ledger

    run("ledger", "init", "b.db", "--dataset", "notes", "--unit", "record", "--epsilon", "5")
    made = Ledger("b.db").reserve("notes", costing(1.0))
    assert "is cancelled" in run("ledger", "cancel", "b.db", made.id)
    assert "0.0%" in run("ledger", "show", "b.db", "--dataset", "notes")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ledger", "show", "absent.db"], "absent.db; make one with `textveil ledger init`"),
        (
            ["ledger", "init", "b.db", "--dataset", "d", "--unit", "row", "--epsilon", "1"],
            "--unit must be one of word,",
        ),
        (
            ["ledger", "init", "b.db", "--dataset", "d", "--unit", "word", "--epsilon", "lots"],
            "--epsilon must be a finite",
        ),
        (
            ["ledger", "init", "b.db", "--dataset", "a/b", "--unit", "record", "--epsilon", "1"],
            "--dataset must be letters",
        ),
        (["ledger", "export", "b.db", "--format", "xml"], "--format must be json or csv"),
        (["embed", "in.npy", "-o", "o.npy", "-e", "1", "--part", "x"], "--part is for releases that a budget pays for"),
        (["embed", "in.npy", "-o", "o.npy", "-e", "1", "--ledger", "b.db"], "say whose budget pays with --dataset"),
        (
            ["embed", "in.npy", "-o", "o.npy", "-e", "1", "--ledger", "b.db", "--dataset", "d"],
            "b.db; make one with `textveil ledger init`",
        ),
        (
            ["embed", "in.npy", "-o", "o.npy", "-e", "1", "--ledger", "b.db", "--dataset", "d", "--max-rows", "2"],
            "--unit-column and --max-rows belong together",
        ),
    ],
)
def test_bad_input_is_one_line_and_status_2(monkeypatch, tmp_path, capsys, vectors, arguments, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["textveil", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["in.npy"]


def test_a_budget_that_is_spent_is_one_line_and_status_2(run, vectors, monkeypatch, capsys, tmp_path):
    run("ledger", "init", "b.db", "--dataset", "d", "--unit", "record", "--epsilon", "1")
    arguments = ["embed", *map(str, vectors), "-o", "out.npy", "--dataset", "d"]
    monkeypatch.setenv("TEXTVEIL_LEDGER", "b.db")
    monkeypatch.setattr("sys.argv", ["textveil", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert "the budget of d does not allow it" in capsys.readouterr().err
    assert not list(tmp_path.glob("out*"))


def test_loading_the_command_line_loads_no_data_base():
    import subprocess
    import sys

    code = "import sys, textveil.cli; assert not {'sqlalchemy', 'numpy', 'psycopg'} & set(sys.modules), 'heavy import'"
    subprocess.run([sys.executable, "-c", code], check=True)
