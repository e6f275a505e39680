"""Commands in processes of their own, forked from one that has loaded what takes long to load.

A process that begins with nothing needs two seconds for that, and the tests start hundreds. Forked ones share what was
there before: the order of sets, NumPy's own random numbers. Where that matters a command is started anew, as users do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

_FORKED = get_context("forkserver")
_FORKED.set_forkserver_preload(["tests.preloaded"])
_STREAMS = ("stdin", "stdout", "stderr")
TEXTVEIL = Path(sys.executable).with_name("textveil")


def run(*arguments, cwd, stdin="", status=0, anew=False):
    """Run `textveil` with arguments in a folder, its cache there too; what it printed, if it ended as it should."""
    environment = {**os.environ, "TEXTVEIL_CACHE": str(cwd / "cache"), "COLUMNS": "120", "NO_COLOR": "1"}
    done = (_started if anew else _forked)([str(one) for one in arguments], cwd, environment, stdin)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def _started(arguments, cwd, environment, stdin):
    command = [TEXTVEIL, *arguments]
    return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, env=environment, check=False)


def _forked(arguments, cwd, environment, stdin):
    with TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in _STREAMS]
        files[0].write_text(stdin)
        process = _FORKED.Process(target=_run, args=(arguments, cwd, environment, files))
        process.start()
        process.join()
        return subprocess.CompletedProcess(arguments, process.exitcode, *(file.read_text() for file in files[1:]))


def _run(arguments, cwd, environment, files):
    for number, (name, file) in enumerate(zip(_STREAMS, files, strict=True)):
        os.dup2(os.open(file, os.O_RDWR | os.O_CREAT), number)
        setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    sys.argv = ["textveil", *arguments]

    from textveil.cli import main

    main()
