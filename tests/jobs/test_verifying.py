from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from textveil.errors import InvalidInputError
from textveil.jobs import plan, verify
from textveil.jobs.receipt import receipt_path


@pytest.fixture
def released(tmp_path, words, rewriter):
    plan(words, tmp_path / "out.txt", rewriter).run()
    return tmp_path / "out.txt"


def test_a_release_is_verified_and_its_promise_told(released, rewriter):
    verification = verify(released)
    assert verification.ok
    assert "Proved" in str(verification)
    assert "400 records in out.txt" in str(verification)


def test_tables_and_folders_are_verified(tmp_path, rewriter):
    (tmp_path / "in").mkdir()
    pq.write_table(pa.table({"text": ["w1", None]}), tmp_path / "in" / "a.parquet")
    (tmp_path / "in" / "b.csv").write_text("text\nw1\nw2\n")
    plan(tmp_path / "in", tmp_path / "out", rewriter, column="text").run()
    assert verify(tmp_path / "out").ok
    (tmp_path / "out" / "more.txt").write_text("x")
    assert not verify(tmp_path / "out").ok
    (tmp_path / "out" / "more.txt").unlink()
    (tmp_path / "out" / "b.csv").unlink()
    assert "b.csv is missing" in str(verify(tmp_path / "out"))


def test_a_changed_output_is_found(released):
    content = released.read_bytes()
    released.write_bytes(content.replace(b"w1", b"w2", 1))
    assert not verify(released).ok
    assert "changed after the release" in str(verify(released))


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("guarantee", "epsilon"), 0.1),
        (("statement",), "Proved: nothing at all leaks."),
        (("rows",), 7),
        (("items",), 7),
        (("files", 0, "rows"), 7),
        (("guarantee", "status"), "certain"),
        (("guarantee", "relation"), None),
        (("mechanism",), {}),
        (("files",), [{"name": "x"}]),
        (("private",), False),
    ],
)
def test_an_edited_receipt_is_found(released, keys, value):
    plain = json.loads(receipt_path(released).read_text())
    inner = plain
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    receipt_path(released).write_text(json.dumps(plain))
    assert not verify(released).ok


def test_what_is_no_receipt_is_told(released, tmp_path):
    for content in ("canary", "[1]"):
        (tmp_path / "r.json").write_text(content)
        with pytest.raises(InvalidInputError, match="so it is no receipt"):
            verify(released, tmp_path / "r.json")
    with pytest.raises(InvalidInputError, match="there is no receipt"):
        verify(released, tmp_path / "absent.json")
    with pytest.raises(InvalidInputError, match="there is no output"):
        verify(tmp_path / "absent.txt", receipt_path(released))
