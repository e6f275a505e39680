from __future__ import annotations

import errno
import gzip
import io
import json
import os
import stat
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from textveil.errors import InvalidInputError, TextveilError
from textveil.files.streams import ByteSink
from textveil.hashing import Packed
from textveil.jobs import RunBusyError, RunInterrupted, RunStoppedError, plan, running, verify
from textveil.jobs.partial import PartialFolder
from textveil.jobs.receipt import FileReceipt, receipt_path

CONTENTS = {
    "a.txt": (b"one\r\n\nlast", b"ONE\r\n\nLAST"),
    "a.csv": (b'id,text\na,"x ""y"""\n', b'id,text\na,"X ""Y"""\n'),
    "a.jsonl": (b'{"text":"x", "id":"a"}\n', b'{"text":"X", "id":"a"}\n'),
}


def column_of(name):
    return None if name.startswith("a.txt") else "text"


@pytest.fixture
def folder(tmp_path):
    """A folder of shards of several formats."""
    root = tmp_path / "shards"
    (root / "deep" / "er").mkdir(parents=True)
    for number in range(3):
        (root / f"part-{number}.csv").write_text(f"id,text\n{number},hello\n")
    (root / "deep" / "b.jsonl.gz").write_bytes(gzip.compress(b'{"text":"zip"}\n'))
    pq.write_table(pa.table({"text": ["table", None], "id": ["k", "l"]}), root / "deep" / "er" / "c.parquet")
    (root / "_SUCCESS").write_text("")
    (root / "notes.md").write_text("not data")
    return root


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("gz", ["", ".gz"])
def test_a_file_is_released_with_its_receipt_and_nothing_else(tmp_path, capitals, name, gz):
    content, expected = CONTENTS[name]
    (tmp_path / (name + gz)).write_bytes(gzip.compress(content) if gz else content)
    receipt = plan(tmp_path / (name + gz), tmp_path / ("out." + name + gz), capitals(), column=column_of(name)).run()
    written = (tmp_path / ("out." + name + gz)).read_bytes()
    assert (gzip.decompress(written) if gz else written) == expected
    assert {path.name for path in tmp_path.iterdir()} == {name + gz, f"out.{name}{gz}", f"out.{name}{gz}.receipt.json"}
    assert FileReceipt.load(receipt_path(tmp_path / ("out." + name + gz))) == receipt
    assert receipt.private
    assert receipt.randomness == "keyed"


def test_output_is_compressed_as_its_name_says(tmp_path, capitals):
    (tmp_path / "a.txt").write_bytes(b"one\n")
    plan(tmp_path / "a.txt", tmp_path / "b.txt.gz", capitals()).run()
    assert gzip.decompress((tmp_path / "b.txt.gz").read_bytes()) == b"ONE\n"
    plan(tmp_path / "b.txt.gz", tmp_path / "c.txt", capitals()).run()
    assert (tmp_path / "c.txt").read_bytes() == b"ONE\n"


def test_a_folder_is_mirrored(tmp_path, folder, capitals):
    receipt = plan(folder, tmp_path / "out", capitals(), column="text").run()
    names = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert names == {"part-0.csv", "part-1.csv", "part-2.csv", "deep/b.jsonl.gz", "deep/er/c.parquet"}
    assert pq.read_table(tmp_path / "out" / "deep" / "er" / "c.parquet").to_pydict() == {
        "text": ["TABLE", None],
        "id": ["k", "l"],
    }
    assert {file.name for file in receipt.files} == names
    assert (receipt.rows, receipt.items) == (6, 5)
    assert "the names of the files" in receipt.guarantee.reveals
    assert not (tmp_path / "out.partial").exists()


def test_files_of_a_folder_do_not_share_noise(tmp_path, rewriter):
    (tmp_path / "in").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "in" / name).write_text("w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12\n")
    plan(tmp_path / "in", tmp_path / "out", rewriter).run()
    assert (tmp_path / "out" / "a.txt").read_text() != (tmp_path / "out" / "b.txt").read_text()


def test_the_noise_depends_on_the_key_alone_not_on_batches_or_threads(tmp_path, words, rewriter):
    outputs = []
    for number, (batch_bytes, threads) in enumerate([(1 << 22, 1), (1000, 2), (77, 1)]):
        target = tmp_path / f"out{number}.txt"
        options = {"batch_bytes": batch_bytes, "threads": threads, "checkpoint_seconds": 0.05}
        plan(words, target, rewriter, key_file=tmp_path / "key", **options).run()
        outputs.append(target.read_bytes())
    plan(words, tmp_path / "other.txt", rewriter).run()
    assert outputs[0] == outputs[1] == outputs[2]
    assert outputs[0] != (tmp_path / "other.txt").read_bytes()
    assert outputs[0].split().count(b"w0") < 1000
    assert len(outputs[0].split()) == len(words.read_bytes().split())


def test_an_existing_output_is_not_replaced_unless_asked(tmp_path, capitals, folder):
    (tmp_path / "a.txt").write_bytes(b"new\n")
    (tmp_path / "out.txt").write_bytes(b"old\n")
    with pytest.raises(InvalidInputError, match=r"out.txt exists; give overwrite=True"):
        plan(tmp_path / "a.txt", tmp_path / "out.txt", capitals()).run()
    assert (tmp_path / "out.txt").read_bytes() == b"old\n"
    assert not (tmp_path / "out.txt.partial").exists()
    plan(tmp_path / "a.txt", tmp_path / "out.txt", capitals(), overwrite=True).run()
    assert (tmp_path / "out.txt").read_bytes() == b"NEW\n"
    plan(folder, tmp_path / "out", capitals(), column="text").run()
    (folder / "part-0.csv").rename(folder / "part-1.csv")
    plan(folder, tmp_path / "out", capitals(), column="text", overwrite=True).run()
    assert not (tmp_path / "out" / "part-0.csv").exists()
    assert (tmp_path / "out" / "part-1.csv").exists()


def test_what_no_release_made_is_not_deleted(tmp_path, capitals, folder):
    out = tmp_path / "out"
    plan(folder, out, capitals(), column="text").run()
    (out / "deep" / "notes.md").write_text("mine")
    (out / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(
        InvalidInputError, match=r"out holds files that no release made.*deep/notes.md, link; move them"
    ):
        plan(folder, out, capitals(), column="text", overwrite=True).run()
    assert (out / "deep" / "notes.md").read_text() == "mine"
    assert verify(out).findings


def test_texts_without_columns_beside_tables_are_refused_with_what_to_do(tmp_path, capitals, folder):
    (folder / "plain.txt").write_bytes(b"x\n")
    with pytest.raises(InvalidInputError, match="beside tables; release them from folders of their own"):
        plan(folder, tmp_path / "out", capitals(), column="text")
    with pytest.raises(InvalidInputError, match=r"c.parquet is parquet by its name, which can't be read as csv"):
        plan(folder, tmp_path / "out", capitals(), column="text", format="csv")


def test_devices_and_pipes_are_not_replaced(tmp_path, capitals):
    (tmp_path / "a.txt").write_bytes(b"new\n")
    (tmp_path / "link.txt").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "pipe.txt")
    for name in ("link.txt", "pipe.txt", "/dev/null"):
        with pytest.raises(InvalidInputError, match=rf"{name} is a device or a pipe"):
            plan(tmp_path / "a.txt", tmp_path / name, capitals(), overwrite=True)
    assert (tmp_path / "pipe.txt").is_fifo()


def test_a_receipt_takes_the_place_of_no_file_unless_asked(tmp_path, capitals):
    def planned(receipt, **more):
        return plan(tmp_path / "a.txt", "-", capitals(), receipt=receipt, **more)

    (tmp_path / "a.txt").write_bytes(b"one\n")
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "folder").mkdir()
    refused = {
        "a.txt is the input": ("a.txt", {"overwrite": True}),
        "mine exists; give overwrite=True": ("mine", {}),
        "is a folder; name the file": ("folder", {"overwrite": True}),
        "there is no folder": ("absent/receipt", {}),
    }
    for message, (name, more) in refused.items():
        with pytest.raises(InvalidInputError, match=message):
            planned(tmp_path / name, **more)
    planned(tmp_path / "mine", overwrite=True).run()
    assert FileReceipt.load(tmp_path / "mine").rows == 1
    planned("/dev/null").run()


def test_places_that_make_no_sense_are_refused(tmp_path, capitals, folder):
    (tmp_path / "a.txt").write_bytes(b"x\n")
    refused = {
        "is the input": (tmp_path / "a.txt", tmp_path / "a.txt", {}),
        "inside the input folder": (folder, folder / "out", {}),
        "no folder": (tmp_path / "a.txt", tmp_path / "absent" / "a.txt", {}),
        "no file or folder": (tmp_path / "absent.txt", tmp_path / "b.txt", {}),
        "a run keeps the format": (tmp_path / "a.txt", tmp_path / "b.csv", {}),
        "a folder can't be written to standard output": (folder, "-", {}),
        "parquet can't be written to standard output": (folder / "deep/er/c.parquet", "-", {"column": "text"}),
        "parquet can't be read": ("-", tmp_path / "b.parquet", {"format": "parquet", "column": "text"}),
        "goes beside it": (tmp_path / "a.txt", tmp_path / "b.txt", {"receipt": "r.json"}),
    }
    for message, (source, target, options) in refused.items():
        with pytest.raises(InvalidInputError, match=message):
            plan(source, target, capitals(), **options).run()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "shards"]


def test_a_column_missing_in_one_file_of_many_is_told_before_the_run(tmp_path, folder, capitals):
    (folder / "part-2.csv").write_text("id,body\n1,canary\n")
    with pytest.raises(InvalidInputError, match=r"part-2.csv has 2 columns"):
        plan(folder, tmp_path / "out", capitals(), column="text")


def test_a_fault_in_the_input_leaves_only_the_partial_output_and_says_so(tmp_path, capitals):
    good = b'{"text":"fine"}\n' * 5000
    (tmp_path / "a.jsonl").write_bytes(good + b'{"text":"canary}\n')
    options = {"column": "text", "batch_bytes": 5000, "checkpoint_seconds": 0.0}
    job = plan(tmp_path / "a.jsonl", tmp_path / "b.jsonl", capitals(), **options)
    with pytest.raises(InvalidInputError, match=r"a.jsonl, line 5001.*b.jsonl.partial; .* with --discard") as caught:
        job.run()
    assert "canary" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl.partial"]
    job.discard()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl"]


def test_a_fault_before_anything_is_done_leaves_nothing_and_the_mended_file_runs(tmp_path, capitals):
    (tmp_path / "a.jsonl").write_bytes(b'{"text":"canary}\n')
    with pytest.raises(InvalidInputError, match=r"a.jsonl, line 1") as caught:
        plan(tmp_path / "a.jsonl", tmp_path / "b.jsonl", capitals(), column="text").run()
    assert "partial" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
    (tmp_path / "a.jsonl").write_bytes(b'{"text":"mended"}\n')
    plan(tmp_path / "a.jsonl", tmp_path / "b.jsonl", capitals(), column="text").run()
    assert (tmp_path / "b.jsonl").read_bytes() == b'{"text":"MENDED"}\n'


def test_a_key_file_is_made_closed_to_others_and_kept(tmp_path, words, rewriter):
    plan(words, tmp_path / "out.txt", rewriter, key_file=tmp_path / "key").run()
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert (tmp_path / "key").stat().st_size == 32
    (tmp_path / "key").chmod(0o640)
    with pytest.raises(InvalidInputError, match=r"open to others \(mode 0640\); run chmod 600"):
        plan(words, tmp_path / "out2.txt", rewriter, key_file=tmp_path / "key").run()
    (tmp_path / "short").write_bytes(b"x" * 15)
    (tmp_path / "short").chmod(0o600)
    with pytest.raises(InvalidInputError, match="has 15 bytes; it needs at least 16"):
        plan(words, tmp_path / "out2.txt", rewriter, key_file=tmp_path / "short").run()
    assert not list(tmp_path.glob("out2*"))


def test_the_key_of_a_run_is_closed_to_others_and_gone_after_it(tmp_path, words, capitals):
    seen = []

    class Looking(capitals):
        def run(self, texts, source):
            partial = PartialFolder(tmp_path / "out.txt")
            seen.append((partial.folder.stat().st_mode, partial.key.stat().st_mode, partial.key.read_bytes()))
            return super().run(texts, source)

    plan(words, tmp_path / "out.txt", Looking()).run()
    folder_mode, key_mode, key = seen[0]
    assert stat.S_IMODE(folder_mode) == 0o700
    assert stat.S_IMODE(key_mode) == 0o600
    assert len(key) == 32
    assert not any(key in path.read_bytes() for path in tmp_path.iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.txt", "out.txt.receipt.json", "words.txt"]


def test_two_runs_at_once_are_refused(tmp_path, words, capitals):
    with PartialFolder(tmp_path / "out.txt").locked(), pytest.raises(RunBusyError, match="another run is writing"):
        plan(words, tmp_path / "out.txt", capitals()).run()
    plan(words, tmp_path / "out.txt", capitals()).run()
    assert (tmp_path / "out.txt").exists()


class Stopping:
    """Stops a run in its middle, once."""

    def __init__(self, work, error, after=5):
        self._work, self._error, self._left = work, error, after

    def __getattr__(self, name):
        return getattr(self._work, name)

    def run(self, texts, source):
        self._left -= 1
        if self._left == 0:
            raise self._error
        return self._work.run(texts, source)


OPTIONS = {"batch_bytes": 1000, "checkpoint_seconds": 0.0, "threads": 1}


def test_an_interrupted_run_says_how_to_go_on_and_does(tmp_path, words, capitals):
    with pytest.raises(RunInterrupted, match="give the same command again to go on") as caught:
        plan(words, tmp_path / "out.txt", Stopping(capitals(), KeyboardInterrupt()), **OPTIONS).run()
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out.txt").exists()
    assert plan(words, tmp_path / "out.txt", capitals(), **OPTIONS).preview().resumes
    receipt = plan(words, tmp_path / "out.txt", capitals(), **OPTIONS).run()
    assert (tmp_path / "out.txt").read_bytes() == words.read_bytes().upper()
    assert receipt.rows == 400
    assert not (tmp_path / "out.txt.partial").exists()


@pytest.mark.parametrize("moment", [0, 3, 11])
def test_a_full_disk_leaves_a_run_that_can_be_gone_on_with(tmp_path, words, capitals, monkeypatch, moment):
    append, calls = ByteSink.append, []

    def failing(self, piece):
        calls.append(1)
        if len(calls) == moment + 1:
            append(self, piece[: len(piece) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        append(self, piece)

    monkeypatch.setattr(ByteSink, "append", failing)
    with pytest.raises(RunStoppedError, match=r"No space left on device.*give the same command again"):
        plan(words, tmp_path / "out.txt", capitals(), **OPTIONS).run()
    assert not (tmp_path / "out.txt").exists()
    plan(words, tmp_path / "out.txt", capitals(), **OPTIONS).run()
    assert (tmp_path / "out.txt").read_bytes() == words.read_bytes().upper()


def test_a_disk_that_is_full_before_anything_is_done_leaves_nothing_and_says_so(tmp_path, words, capitals, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(running, "_key", full)
    with pytest.raises(RunStoppedError, match="nothing was released; give the same command again"):
        plan(words, tmp_path / "out.txt", capitals(), **OPTIONS).run()
    assert not (tmp_path / "out.txt.partial").exists()


def stopped(words, target, work, **options):
    with pytest.raises(RunInterrupted):
        plan(words, target, Stopping(work, KeyboardInterrupt()), **{**OPTIONS, **options}).run()


def test_a_run_is_not_gone_on_with_if_anything_changed(tmp_path, words, capitals):
    target = tmp_path / "out.txt"
    stopped(words, target, capitals())
    with pytest.raises(InvalidInputError, match=r"the mechanism or its parameters differ.*delete that folder"):
        plan(words, target, capitals("Other"), **OPTIONS).run()
    before = words.stat()
    content = words.read_bytes()
    words.write_bytes(b"W" + content[1:])
    with pytest.raises(InvalidInputError, match=r"the input changed \(size, time or format\)"):
        plan(words, target, capitals(), **OPTIONS).run()
    words.write_bytes(content)
    os.utime(words, ns=(before.st_atime_ns, before.st_mtime_ns))
    plan(words, target, capitals(), **OPTIONS).run()
    assert target.read_bytes() == content.upper()


def test_a_run_is_not_gone_on_with_under_another_key(tmp_path, words, capitals):
    target = tmp_path / "out.txt"
    stopped(words, target, capitals(), key_file=tmp_path / "key")
    (tmp_path / "key").write_bytes(bytes(32))
    with pytest.raises(InvalidInputError, match="had another key"):
        plan(words, target, capitals(), key_file=tmp_path / "key", **OPTIONS).run()
    with pytest.raises(InvalidInputError, match="had a key file"):
        plan(words, target, capitals(), **OPTIONS).run()
    (tmp_path / "key").unlink()
    with pytest.raises(InvalidInputError, match="had another key"):
        plan(words, target, capitals(), key_file=tmp_path / "key", **OPTIONS).run()
    assert not (tmp_path / "key").exists()


def test_finished_files_of_a_folder_are_kept_and_tables_redone(tmp_path, capitals):
    (tmp_path / "in").mkdir()
    for number in range(4):
        pq.write_table(pa.table({"text": ["some words"] * 2000}), tmp_path / "in" / f"{number}.parquet")
    target = tmp_path / "out"
    options = {"column": "text", "batch_bytes": 5000}
    with pytest.raises(RunInterrupted):
        plan(tmp_path / "in", target, Stopping(capitals(), KeyboardInterrupt(), after=15), threads=1, **options).run()
    finished = sorted((target.with_name("out.partial") / "output").iterdir())[:-1]
    assert 1 <= len(finished) < 4
    times = [path.stat().st_mtime_ns for path in finished]
    plan(tmp_path / "in", target, capitals(), **options).run()
    assert [(target / path.name).stat().st_mtime_ns for path in finished] == times
    for number in range(4):
        assert pq.read_table(target / f"{number}.parquet")["text"].to_pylist() == ["SOME WORDS"] * 2000


def test_a_work_that_loses_texts_is_caught(tmp_path, words, capitals):
    class Losing(capitals):
        def run(self, texts, source):
            return Packed.of([])

    with pytest.raises(InvalidInputError, match="it must give one for each"):
        plan(words, tmp_path / "out.txt", Losing()).run()


def test_standard_input_and_output(tmp_path, capitals, monkeypatch):
    def piped(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        out = io.TextIOWrapper(io.BytesIO())
        monkeypatch.setattr(sys, "stdout", out)
        return out

    out = piped(b"one\r\ntwo")
    receipt = plan("-", "-", capitals(), receipt=tmp_path / "r.json").run()
    assert out.buffer.getvalue() == b"ONE\r\nTWO"
    assert FileReceipt.load(tmp_path / "r.json") == receipt
    assert receipt.files[0].size == 8
    out = piped(b'{"text":"x"}\n' * 30_000)
    plan("-", "-", capitals(), format="jsonl", column="text", batch_bytes=1000).run()
    assert out.buffer.getvalue() == b'{"text":"X"}\n' * 30_000
    piped(b"id,text\n1,x\n")
    plan("-", tmp_path / "out.csv", capitals(), format="csv", column="text").run()
    assert (tmp_path / "out.csv").read_bytes() == b"id,text\n1,X\n"
    out = piped(b"")
    plan(tmp_path / "out.csv", "-", capitals(), column="text").run()
    assert out.buffer.getvalue() == b"id,text\n1,X\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.csv.receipt.json", "r.json"]


def test_a_run_from_standard_input_begins_again_but_discards_no_other(tmp_path, words, capitals, monkeypatch):
    def stdin(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    target = tmp_path / "out.txt"
    stdin(words.read_bytes())
    with pytest.raises(RunInterrupted, match="can't be read again, so the same command begins anew"):
        plan("-", target, Stopping(capitals(), KeyboardInterrupt(), after=1), **OPTIONS).run()
    assert not (tmp_path / "out.txt.partial" / "key").exists()
    stdin(b"anew\n")
    plan("-", target, capitals(), **OPTIONS).run()
    assert target.read_bytes() == b"ANEW\n"
    stopped(words, tmp_path / "other.txt", capitals())
    stdin(b"anew\n")
    with pytest.raises(InvalidInputError, match="the unfinished run"):
        plan("-", tmp_path / "other.txt", capitals(), **OPTIONS).run()
    plan(words, tmp_path / "other.txt", capitals(), **OPTIONS).run()


def test_a_folder_that_only_has_the_name_of_a_partial_output_loses_nothing(tmp_path, words, capitals):
    (tmp_path / "out.txt.partial").mkdir(mode=0o700)
    (tmp_path / "out.txt.partial" / "mine.txt").write_text("mine")
    plan(words, tmp_path / "out.txt", capitals()).run()
    assert [path.name for path in (tmp_path / "out.txt.partial").iterdir()] == ["mine.txt"]


def test_nothing_of_the_content_is_in_the_journal_receipt_or_errors(tmp_path, rewriter):
    path = tmp_path / "in.jsonl"
    line = json.dumps({"text": "w1 xcanaryx w2"}).encode() + b"\n"
    path.write_bytes(line * 2000 + b'{"text": xcanaryx}\n')
    options = {"column": "text", "batch_bytes": 5000, "checkpoint_seconds": 0.0}
    with pytest.raises(TextveilError) as caught:
        plan(path, tmp_path / "out.jsonl", rewriter, **options).run()
    partial = PartialFolder(tmp_path / "out.jsonl")
    assert partial.journal.read_bytes().count(b"\n") > 3
    assert b"canary" not in partial.journal.read_bytes()
    assert b"canary" not in partial.output.read_bytes()
    assert "canary" not in f"{caught.value!r} {caught.value}"
    partial.clear()
    path.write_bytes(line * 2000)
    plan(path, tmp_path / "out.jsonl", rewriter, overwrite=True, **options).run()
    assert "canary" not in receipt_path(tmp_path / "out.jsonl").read_text()
    assert b"canary" not in (tmp_path / "out.jsonl").read_bytes()
