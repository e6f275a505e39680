"""The command line as a user meets it: real processes, real files."""

from __future__ import annotations

import errno
import json
import re
import subprocess
import sys

import pytest
from tests.commands import run

from textveil import cli

TEXT = "The doctor moved from Ohio to Boston.\nCall 617-555-0134 or write to maria.lopez@example.org.\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tickets.txt").write_text(TEXT)
    return tmp_path


def test_a_file_is_rewritten_receipted_and_verified(folder):
    done = run("rewrite", "tickets.txt", "-o", "out.txt", "--epsilon", "2", cwd=folder)
    assert "Proved" in done.stdout
    lines = (folder / "out.txt").read_text().splitlines()
    assert len(lines) == 2
    assert not re.search(r"617|0134|maria\.lopez|example\.org", "".join(lines))
    receipt = json.loads((folder / "out.txt.receipt.json").read_text())
    assert receipt["private"]
    assert receipt["mechanism"]["words"]["epsilon"] == 2.0
    checked = run("verify", "out.txt", cwd=folder)
    assert "WRONG" not in checked.stdout
    (folder / "out.txt").write_text("edited")
    assert "WRONG" in run("verify", "out.txt", "out.txt.receipt.json", cwd=folder, status=1).stdout
    assert {path.name for path in folder.iterdir()} - {"cache"} == {"out.txt", "out.txt.receipt.json", "tickets.txt"}


def test_a_preview_releases_nothing(folder):
    done = run("rewrite", "tickets.txt", "-o", "out.txt", "--unchanged", "0.2", "--preview", cwd=folder)
    assert "Nothing has been released" in done.stdout
    assert "Loss" in done.stdout
    assert not (folder / "out.txt").exists()


def test_a_stream_is_rewritten_with_the_receipt_beside(folder):
    done = run("rewrite", "-", "-o", "-", "-e", "2", "--receipt", "receipt.json", cwd=folder, stdin=TEXT)
    assert done.stdout.count("\n") == 2
    assert json.loads((folder / "receipt.json").read_text())["private"]


def test_a_column_of_a_table_is_rewritten_and_the_others_named(folder):
    (folder / "t.csv").write_text("id,text\n007,the doctor moved\n008,to boston\n")
    run("rewrite", "t.csv", "-o", "o.csv", "-e", "2", "--column", "text", cwd=folder)
    assert [line.split(",")[0] for line in (folder / "o.csv").read_text().splitlines()] == ["id", "007", "008"]
    assert "id" in (folder / "o.csv.receipt.json").read_text()
    wrong = run("rewrite", "t.csv", "-o", "p.csv", "-e", "2", "--column", "body", cwd=folder, status=2)
    assert "2 columns" in wrong.stderr
    assert wrong.stderr.count("\n") == 1


def test_files_of_a_folder_that_are_not_read_are_named(folder):
    (folder / "in").mkdir()
    (folder / "tickets.txt").rename(folder / "in" / "tickets.txt")
    (folder / "in" / "notes.docx").write_text("no")
    told = run("rewrite", "in", "-o", "out", "-e", "2", cwd=folder).stderr
    assert "not read, since they are no files of a format that fits: notes.docx" in told
    assert [path.name for path in (folder / "out").iterdir()] == ["tickets.txt"]


def test_options_that_reveal_say_so(folder):
    shown = run(
        *("rewrite", "tickets.txt", "-o", "out.txt", "-e", "2", "--preview"),
        *("--case", "keep", "--keep-stop-words", "--consistent"),
        cwd=folder,
    ).stdout
    for words in ("capital letters", "stop words", "same word"):
        assert words in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rewrite", "missing.txt", "-o", "o.txt", "-e", "1"], "missing.txt"),
        (["rewrite", "tickets.txt", "-o", "o.txt"], "--epsilon"),
        (["rewrite", "tickets.txt", "-o", "o.txt", "-e", "0"], "epsilon must be"),
        (["rewrite", "tickets.txt", "-o", "o.txt", "-e", "1", "--unchanged", "0.5"], "not both"),
        (["rewrite", "tickets.txt", "-o", "o.txt"], "choose how strong"),
        (["rewrite", "tickets.txt", "-o", "o.txt", "-e", "1", "--radius", "wide"], "--radius"),
        (["rewrite", "tickets.txt", "-o", "o.txt", "-e", "1", "--mechanism", "magic"], "--mechanism"),
        (["rewrite", "tickets.txt", "-o", "o.txt", "-e", "1", "--case", "upper"], "case"),
        (["rewrite", "tickets.txt", "-o", "tickets.txt", "-e", "1"], "input"),
        (["explain", "x", "-e", "1", "--vocabulary", "tickets.txt"], "tickets.txt"),
        (["verify", "tickets.txt"], "receipt"),
        (["rewrite", "tickets.txt", "-o", "o.txt", "-e", "two"], "'two' is not a valid float"),
        (["rewrite", "tickets.txt", "-o", "o.txt", "--epsilom", "1"], "--epsilon"),
        (["rewrite", "tickets.txt", "-e", "1"], "--output"),
        (["rewrite"], "see textveil rewrite --help"),
        (["rewrit"], "rewrite"),
        (["rewrite", "tickets.txt", "-o", "o.txt", "-e", "1", "-c", "a", "-c", "b"], "--column must be given once"),
        (["audit", "exponential", "-e", "1", "--claim", "tickets.txt", "--html", "tickets.txt"], "is what is read"),
        (["compare", "--data", "tickets.csv", "-o", "tickets.html"], "tickets.csv is what is read"),
        (["compare", "-o", "tickets.html"], "tickets.csv exists, and no comparison made it"),
        (["ledger", "innit"], "see textveil ledger --help"),
        (["rewrite", "tickets.txt", "-o", "-", "-e", "1", "--receipt", "tickets.txt", "--overwrite"], "is the input"),
        (["rewrite", "tickets.txt", "-o", "/dev/null", "-e", "1", "--overwrite"], "is a device or a pipe"),
        (["rewrite", "tickets.txt", "-o", "absent/o.txt", "-e", "1"], "there is no folder absent"),
    ],
)
def test_bad_input_is_one_clear_line_and_status_2(folder, arguments, message):
    (folder / "tickets.csv").write_text("text,label\na,b\n")
    done = run(*arguments, cwd=folder, status=2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "o.txt").exists()


@pytest.mark.parametrize("arguments", [[], ["ledger"]])
def test_no_command_at_all_shows_the_commands(folder, arguments):
    done = run(*arguments, cwd=folder, status=2)
    assert "Commands" in done.stdout
    assert not done.stderr


def test_words_are_explained(folder):
    told = run("explain", "aspirin", "zzzz", "--epsilon", "2.5", cwd=folder).stdout
    assert '"aspirin" stays with chance' in told
    assert "an unknown word" in told


def test_epsilon_is_found(folder):
    told = run("calibrate", "--unchanged", "0.2", cwd=folder).stdout
    share = float(re.search(r"unchanged\s+([\d.]+)%", told)[1])
    assert 18 < share <= 20


def test_a_vocabulary_of_ones_own(folder):
    lines = [f"{word} {i}.5 {i % 3}" for i, word in enumerate(["unk", "doctor", "nurse", "moved", "went", "boston"])]
    (folder / "own.txt").write_text("\n".join(lines) + "\n")
    run("rewrite", "tickets.txt", "-o", "o.txt", "-e", "0.1", "--vocabulary", "own.txt", cwd=folder)
    words = set(re.findall(r"[a-z]+", (folder / "o.txt").read_text().lower()))
    assert words <= {"unknown", "doctor", "nurse", "moved", "went", "boston"}
    run("rewrite", "tickets.txt", "-o", "p.txt", "-e", "1", "--vocabulary", "own.txt", "-m", "nearest", cwd=folder)
    run("rewrite", "tickets.txt", "-o", "q.txt", "-e", "1", "--vocabulary", "own.txt", "--weights", "tight", cwd=folder)


INTERRUPTED = """
import os, signal, sys, time
import textveil.cli.rewrite, textveil.ledger, textveil.jobs
# What runs in the background of a shell would not hear of it.
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupt(*_, **__):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)
textveil.jobs.plan = textveil.ledger.Ledger = interrupt
sys.argv = ["textveil", *sys.argv[1:]]
textveil.cli.main()
"""

HELP = """
import sys
from textveil.cli import main
sys.argv = ["textveil", "--help"]
try:
    main()
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "textveil: No space left on device\n"),
        (FileNotFoundError(errno.ENOENT, "No such file", "a.txt"), "textveil: a.txt: No such file\n"),
    ],
)
def test_what_the_system_refuses_is_told_in_one_line(monkeypatch, capsys, error, told):
    def refused(**_):
        raise error

    monkeypatch.setattr(cli, "app", refused)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == told


@pytest.mark.parametrize("command", [["rewrite", "-", "-o", "-", "-e", "2"], ["ledger", "show", "b.db"]])
def test_a_command_that_is_interrupted_says_so(folder, command):
    interrupted = [sys.executable, "-c", INTERRUPTED, *command]
    done = subprocess.run(interrupted, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (130, "textveil: interrupted\n")


def test_help_loads_nothing_heavy_and_the_version_is_told(folder):
    done = subprocess.run([sys.executable, "-c", HELP], cwd=folder, capture_output=True, text=True, check=True)
    for command in ("demo", "rewrite", "explain", "calibrate", "verify"):
        assert command in done.stdout
    loaded = done.stderr.split()
    assert "typer" in loaded
    # With these it would take seconds instead of a third of one.
    assert not {"numpy", "numba", "scipy", "pyarrow", "torch", "sqlalchemy", "fastapi"} & set(loaded)
    assert run("--version", cwd=folder, anew=True).stdout.startswith("textveil ")


def test_the_installed_command_tells_good_from_bad(folder):
    for epsilon, status in (("2", 0), ("-2", 2)):
        run("rewrite", "tickets.txt", "-o", f"{status}.txt", "-e", epsilon, cwd=folder, status=status, anew=True)
        assert (folder / f"{status}.txt").exists() == (status == 0)


def test_completion_can_be_installed(folder):
    assert "--install-completion" in run("--help", cwd=folder).stdout
