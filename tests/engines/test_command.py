"""--engine ray as a user meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TEXTVEIL = Path(sys.executable).with_name("textveil")


def run(*arguments, cwd, status=0):
    environment = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1"}
    done = subprocess.run(
        [TEXTVEIL, "embed", "vectors", "--column", "embedding", "-e", "2", "--key-file", "key", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_vectors_are_released_on_a_cluster_as_in_one_process(ray, vectors, key_file):
    folder = vectors.parent
    run("-o", "local", "--workers", "1", cwd=folder)
    address = ray.get_runtime_context().gcs_address
    done = run("-o", "out", "--engine", "ray", "--workers", "2", "--ray-address", address, cwd=folder)
    assert "2500 released by Laplace" in done.stdout
    assert done.stderr == ""
    for path in vectors.iterdir():
        assert (folder / "out" / path.name).read_bytes() == (folder / "local" / path.name).read_bytes()
    receipts = [json.loads((folder / f"{name}.receipt.json").read_text()) for name in ("local", "out")]
    assert {**receipts[0], "created": ""} == {**receipts[1], "created": ""}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--engine", "spark"), "--engine must be local or ray (got spark)"),
        (("--ray-address", "head:6379"), "--ray-address would do nothing, since the engine is local; add --engine ray"),
        (("--worker-gpus", "1"), "--worker-gpus would do nothing, since the engine is local; add --engine ray"),
        (("--engine", "ray", "--workers", "0"), "--workers must be a whole number >= 1 (got 0)"),
        (("--engine", "ray", "--overwrite", "-o", "s3://bucket/out"), "can't be replaced in one step"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(vectors, key_file, arguments, reason):
    output = () if "-o" in arguments else ("-o", "out")
    assert reason in run(*output, *arguments, cwd=vectors.parent, status=2).stderr
