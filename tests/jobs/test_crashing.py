"""kill -9 at any moment: the next run goes on, and the output is that of a run that was never killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("crashing.py")


def crashing(*arguments):
    done = subprocess.run(
        [sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=1500, check=False
    )
    print(done.stdout)  # noqa: T201 - the progress at each kill
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_a_run_killed_at_random_moments_loses_and_doubles_nothing(tmp_path):
    assert "8 kills" in crashing("moments", tmp_path, 8, 3, "txt")


def test_a_run_over_gzip_killed_at_random_moments_loses_and_doubles_nothing(tmp_path):
    assert "5 kills" in crashing("moments", tmp_path, 5, 3, "txt.gz")


def test_a_run_over_vectors_killed_at_random_moments_loses_and_doubles_nothing(tmp_path):
    assert "5 kills" in crashing("moments", tmp_path, 5, 3, "npy")


def test_a_run_that_dies_before_a_step_is_finished_by_the_next(tmp_path):
    assert crashing("steps", tmp_path, 3).count("every output the same") == 2


@pytest.mark.soak
def test_a_run_that_dies_before_any_step_is_finished_by_the_next(tmp_path):
    assert crashing("steps", tmp_path, 1).count("every output the same") == 2


@pytest.mark.soak
def test_a_run_killed_at_200_random_moments_loses_and_doubles_nothing(tmp_path):
    assert "200 kills" in crashing("moments", tmp_path, 200, 4, "txt")


@pytest.mark.soak
def test_a_run_over_gzip_killed_at_100_random_moments_loses_and_doubles_nothing(tmp_path):
    assert "100 kills" in crashing("moments", tmp_path, 100, 6, "txt.gz")


@pytest.mark.soak
def test_a_run_over_vectors_killed_at_100_random_moments_loses_and_doubles_nothing(tmp_path):
    assert "100 kills" in crashing("moments", tmp_path, 100, 5, "npy")
