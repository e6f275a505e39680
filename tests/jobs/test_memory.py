"""The size of a file does not matter to the memory that its release takes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("remembering.py")
MOST_DIFFERENCE = 30.0
# Parquet is written in row groups of 32 MiB: at its peak a run has one more or less of them for each of two threads.
OF_ROW_GROUPS = 64.0


def peak(folder, megabytes, extension, kind):
    folder = folder / str(megabytes)
    folder.mkdir()
    command = [sys.executable, SCRIPT, folder, str(megabytes), extension, kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(folder)
    return float(done.stdout)


def compare(folder, small, large, extension, kind, most=MOST_DIFFERENCE):
    peaks = peak(folder, small, extension, kind), peak(folder, large, extension, kind)
    print(f"{extension}, {kind}: {small} MB take {peaks[0]} MB of memory, {large} MB take {peaks[1]} MB")  # noqa: T201
    assert peaks[1] - peaks[0] < most


def test_ten_times_the_text_takes_no_more_memory(tmp_path):
    compare(tmp_path, 20, 200, "txt", "none")


@pytest.mark.soak
@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet"])
def test_ten_times_the_rows_take_no_more_memory(tmp_path, extension):
    most = OF_ROW_GROUPS if extension == "parquet" else MOST_DIFFERENCE
    compare(tmp_path, 100, 1000, extension, "none", most)


@pytest.mark.soak
def test_two_gigabytes_take_no_more_memory_than_a_hundred_megabytes(tmp_path):
    compare(tmp_path, 100, 2000, "txt", "rewrite")


@pytest.mark.soak
def test_a_gigabyte_of_vectors_takes_no_more_memory_than_a_hundred_megabytes(tmp_path):
    compare(tmp_path, 100, 1000, "npy", "vectors")
