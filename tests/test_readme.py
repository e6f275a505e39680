"""Every command of the README runs, and what it shows is what is printed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.commands import run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
FENCES = re.findall(r"```(\w*)\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = [
    line.partition("#")[0].strip()
    for _, block in FENCES
    for line in block.splitlines()
    if re.match(r"(textveil|make) ", line)
]
TEXT = "The doctor moved from Ohio to Boston.\nCall 617-555-0134 or write to maria.lopez@example.org.\n" * 5


def shell(command, folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TEXTVEIL_CACHE": str(folder / "cache")}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)  # noqa: S602
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readme_has_commands():
    assert "make demo" in COMMANDS
    assert "make test" in COMMANDS
    assert len([command for command in COMMANDS if command.startswith("textveil ")]) >= 5


def test_every_textveil_command_runs_in_order(tmp_path):
    (tmp_path / "tickets.txt").write_text(TEXT)
    np.save(tmp_path / "photos.npy", np.eye(8))
    shown = ""
    for command in COMMANDS:
        if command.startswith("textveil "):
            again = ["--overwrite"] if "rewrite" in command else []
            shown += run(*shlex.split(command)[1:], *again, cwd=tmp_path).stdout
    (told,) = [block for _, block in FENCES if block.startswith('"ohio" stays')]
    assert told in shown


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("make ")])
def test_every_make_target_exists(command):
    target = command.split()[1]
    assert re.search(rf"^{target}: ", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)


def test_the_demo_of_make_demo_shows_text_guarantee_and_picture(tmp_path):
    shown = shell("textveil demo", tmp_path)
    assert "maria.lopez@example.org" in shown
    assert "Proved:" in shown
    assert (tmp_path / "textveil-demo.png").stat().st_size > 10_000


def test_the_python_of_the_readme_runs(tmp_path):
    (code,) = [block for language, block in FENCES if language == "python"]
    (tmp_path / "readme.py").write_text(code)
    shown = shell(f"{sys.executable} readme.py", tmp_path)
    assert "stays with chance" in shown
    assert "Proved:" in shown


def test_the_python_of_embedding_runs(tmp_path):
    for needed in ("sklearn", "torch"):
        pytest.importorskip(needed)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "embedding.md").read_text(), flags=re.DOTALL)
    assert len(blocks) == 4
    (tmp_path / "page.py").write_text("\n".join(blocks))
    shown = shell(f"{sys.executable} page.py", tmp_path)
    assert "for two texts" in shown
    assert "two public vectors lie" in shown


def test_the_guarantee_in_the_readme_is_as_printed(tmp_path):
    (tmp_path / "tickets.txt").write_text(TEXT)
    printed = " ".join(shell("textveil rewrite tickets.txt -o o.txt --unchanged 0.5 --preview", tmp_path).split())
    (told,) = [" ".join(block.split()) for _, block in FENCES if block.startswith("Proved:")]
    assert told.partition(" It reveals")[0] in printed
