"""kill -9 between reserve, touch, release and commit: the ledger never tells less than what left, nor charges twice."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def paying(*arguments):
    command = [sys.executable, "-m", "tests.jobs.paying", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_a_run_killed_between_any_two_steps_pays_once(tmp_path):
    assert paying("named", tmp_path).count("paid once") == 7


@pytest.mark.soak
def test_a_run_killed_at_200_random_moments_pays_once(tmp_path):
    assert int(re.search(r"(\d+) kills", paying("random", tmp_path, 200, 3))[1]) >= 200
