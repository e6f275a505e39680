from __future__ import annotations

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from textveil.jobs import plan
from textveil.randomness import RandomSource


def test_a_preview_tells_and_releases_nothing(tmp_path, words, rewriter, monkeypatch):
    def never(*given):
        raise AssertionError("a preview draws no noise")

    monkeypatch.setattr(RandomSource, "streams", never)
    job = plan(words, tmp_path / "out.txt", rewriter, key_file=tmp_path / "key")
    preview = job.preview()
    assert preview.rows == 400
    assert preview.size == words.stat().st_size
    assert preview.formats == ("txt",)
    counts = [len(line.split()) for line in words.read_text().splitlines()]
    assert preview.words == pytest.approx(sum(counts) / len(counts))
    assert preview.most_words == max(counts)
    assert preview.loss == pytest.approx(preview.words * rewriter.guarantee.loss(1e9))
    assert "the number and order of the records" in preview.guarantee.reveals
    assert not preview.resumes
    assert str(preview.guarantee) in str(preview)
    assert "longer ones may follow" in str(preview)
    assert "Nothing has been released" in str(preview)
    assert [path.name for path in tmp_path.iterdir()] == ["words.txt"]


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.jsonl"])
def test_records_of_a_long_file_are_estimated_from_its_beginning(tmp_path, rewriter, name):
    lines = "".join(f"w{row % 600} w7 w{row % 50}\n" for row in range(60_000)).encode()
    if name == "a.jsonl":
        lines = b"".join(b'{"text": "%s"}\n' % line for line in lines.splitlines())
    (tmp_path / name).write_bytes(gzip.compress(lines) if name.endswith("gz") else lines)
    for batch_bytes in (5000, 100_000, 500_000):
        column = "text" if name == "a.jsonl" else None
        job = plan(tmp_path / name, tmp_path / f"out.{name}", rewriter, column=column, batch_bytes=batch_bytes)
        assert job.preview().rows == pytest.approx(60_000, rel=0.05)


def test_a_preview_names_the_columns_that_pass_through(tmp_path, rewriter):
    pq.write_table(pa.table({"id": [1, 2], "text": ["w1", "w2 w3"]}), tmp_path / "a.parquet")
    preview = plan(tmp_path / "a.parquet", tmp_path / "b.parquet", rewriter, column="text").preview()
    assert preview.columns == ("id", "text")
    assert preview.rows == 2
    assert preview.rows_are_exact
    assert "columns unchanged: id" in preview.guarantee.reveals


def test_a_preview_of_nothing(tmp_path, rewriter):
    (tmp_path / "a.txt").write_bytes(b"")
    preview = plan(tmp_path / "a.txt", tmp_path / "b.txt", rewriter).preview()
    assert preview.words is None
    assert "Reads    1 file, 0 bytes" in str(preview)
    preview = plan("-", "-", rewriter).preview()
    assert preview.size is None
    assert "standard input" in str(preview)


def test_a_preview_says_what_is_left_out_and_what_exists(tmp_path, rewriter):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("w1\n")
    (tmp_path / "in" / "b.docx").write_text("no")
    (tmp_path / "out").mkdir()
    preview = plan(tmp_path / "in", tmp_path / "out", rewriter).preview()
    assert preview.left_out == ("b.docx",)
    assert preview.exists
    assert "b.docx" in str(preview)
