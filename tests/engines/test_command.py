"""--engine ray as a user meets it."""

from __future__ import annotations

import json
import sys

import pytest
from tests.commands import run

from textveil.cli.engine import where_of
from textveil.errors import InvalidInputError

COMMAND = ("embed", "vectors", "--column", "embedding", "-e", "2", "--key-file", "key")


def test_vectors_are_released_on_a_cluster_as_in_one_process(ray, vectors, key_file):
    folder = vectors.parent
    run(*COMMAND, "-o", "local", "--workers", "1", cwd=folder)
    address = ray.get_runtime_context().gcs_address
    options = ("-o", "out", "--engine", "ray", "--workers", "2", "--ray-address", address)
    done = run(*COMMAND, *options, cwd=folder, anew=True)
    assert "2,500 released by Laplace" in done.stdout
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
    assert reason in run(*COMMAND, *output, *arguments, cwd=vectors.parent, status=2).stderr


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:hunter2@host/db",
        "postgresql+psycopg://:hunter2@host/db",
        "postgresql://host/db?password=hunter2",
    ],
)
@pytest.mark.parametrize("words", [("--ledger", "{}"), ("--ledger={}",)])
def test_a_password_does_not_go_to_a_cluster_on_the_command_line(monkeypatch, url, words):
    monkeypatch.setattr(sys, "argv", ["textveil", *(word.format(url) for word in words)])
    with pytest.raises(InvalidInputError, match="TEXTVEIL_LEDGER") as raised:
        where_of("ray", 1, "head:6379", 0.0, ledger=url)
    assert "hunter2" not in str(raised.value)
    assert where_of("ray", 1, None, 0.0, ledger=url)["engine"].address is None
    monkeypatch.setattr(sys, "argv", ["textveil"])
    assert where_of("ray", 1, "head:6379", 0.0, ledger=url)["engine"].address == "head:6379"


@pytest.mark.parametrize("url", ["postgresql://host:5432/db", "postgresql://me@host/db", "budget.db", None])
def test_a_ledger_without_a_password_may_be_named(monkeypatch, url):
    monkeypatch.setattr(sys, "argv", ["textveil", "--ledger", str(url)])
    assert where_of("ray", 1, "head:6379", 0.0, ledger=url)["engine"].address == "head:6379"
