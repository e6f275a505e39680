"""The size of the input does not matter to the memory that workers take."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("remembering.py")
MOST_DIFFERENCE = 40.0


def peaks(folder, megabytes):
    folder = folder / str(megabytes)
    folder.mkdir()
    command = [sys.executable, SCRIPT, folder, str(megabytes), "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
    shutil.rmtree(folder)
    assert done.returncode == 0, done.stderr
    worker, driver, seconds = map(float, done.stdout.split())
    print(f"{megabytes} MB: a worker takes {worker} MB, the driver {driver} MB, {seconds} s")  # noqa: T201
    return worker, driver


def test_fifty_megabytes_take_little_memory(tmp_path):
    pytest.importorskip("ray")
    worker, driver = peaks(tmp_path, 50)
    assert 50 < worker < 500
    assert 50 < driver < 500


@pytest.mark.soak
def test_ten_gigabytes_take_no_more_memory_than_one(tmp_path):
    pytest.importorskip("ray")
    small, large = peaks(tmp_path, 1000), peaks(tmp_path, 10_000)
    assert large[0] - small[0] < MOST_DIFFERENCE
    assert large[1] - small[1] < MOST_DIFFERENCE
