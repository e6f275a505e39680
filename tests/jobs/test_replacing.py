"""What an output may replace, and what is left when a run that replaces is given up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from textveil.errors import InvalidInputError
from textveil.jobs import plan, verify
from textveil.jobs.partial import PartialFolder
from textveil.jobs.places import check_names
from textveil.jobs.receipt import FileReceipt, receipt_path


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("new\n")
    return folder


def test_a_file_never_replaces_a_folder_nor_a_folder_a_file(tmp_path, folder, capitals):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis").write_text("x")
    with pytest.raises(InvalidInputError, match=r"mine is a folder, and the output of one file is a file: name it"):
        plan(folder / "a.txt", tmp_path / "mine", capitals(), overwrite=True)
    with pytest.raises(InvalidInputError, match="thesis is a file, and the output of a folder is a folder"):
        plan(folder, tmp_path / "mine" / "thesis", capitals(), overwrite=True)
    assert (tmp_path / "mine" / "thesis").read_text() == "x"


def test_a_folder_that_no_release_made_is_not_replaced(tmp_path, folder, capitals):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis").write_text("x")
    with pytest.raises(InvalidInputError, match="is a folder that no release made"):
        plan(folder, tmp_path / "mine", capitals(), overwrite=True).run()
    assert (tmp_path / "mine" / "thesis").read_text() == "x"
    assert not PartialFolder(tmp_path / "mine").folder.exists()


class Died(BaseException):
    pass


def died(monkeypatch, job, name, place):
    """Stop a run just before a step of its commit."""

    def step(self, target):
        if (Path(self).name, name) == place:
            raise Died
        return kept(self, target)

    kept = getattr(Path, name)
    with monkeypatch.context() as patched:
        patched.setattr(Path, name, step)
        with pytest.raises(Died):
            job.run()


def test_a_replacement_that_is_given_up_in_its_middle_brings_the_old_release_back(
    tmp_path, folder, capitals, monkeypatch
):
    out = tmp_path / "out"
    plan(folder, out, capitals()).run()
    (folder / "a.txt").write_text("newer\n")
    job = plan(folder, out, capitals(), overwrite=True)
    died(monkeypatch, job, "replace", ("output", "replace"))
    assert not out.exists()
    job.discard()
    assert (out / "a.txt").read_text() == "NEW\n"
    assert verify(out).ok
    assert not PartialFolder(out).folder.exists()


def test_an_output_that_is_in_its_place_gets_its_receipt_when_the_run_is_given_up(
    tmp_path, folder, capitals, monkeypatch
):
    out = tmp_path / "out"
    job = plan(folder, out, capitals())
    died(monkeypatch, job, "replace", ("receipt", "replace"))
    assert out.exists()
    assert not receipt_path(out).exists()
    (folder / "a.txt").write_text("changed\n")
    job.discard()
    assert verify(out).ok
    assert not PartialFolder(out).folder.exists()


def test_a_run_that_has_only_to_be_tidied_up_does_not_need_its_input_again(tmp_path, folder, capitals, monkeypatch):
    out = tmp_path / "out"
    died(monkeypatch, plan(folder, out, capitals()), "replace", ("receipt", "replace"))
    (folder / "a.txt").write_text("changed\n")
    plan(folder, out, capitals()).run()
    assert (out / "a.txt").read_text() == "NEW\n"
    assert verify(out).ok


def test_a_link_to_a_folder_is_replaced_and_the_folder_kept(tmp_path, folder, capitals):
    plan(folder, tmp_path / "real", capitals()).run()
    (tmp_path / "out").symlink_to(tmp_path / "real")
    receipt_path(tmp_path / "real").rename(receipt_path(tmp_path / "out"))
    plan(folder, tmp_path / "out", capitals(), overwrite=True).run()
    assert not (tmp_path / "out").is_symlink()
    assert (tmp_path / "real" / "a.txt").exists()
    assert not PartialFolder(tmp_path / "out").folder.exists()


def test_names_that_can_not_be_written_are_refused_before_anything_is_released(tmp_path, folder, capitals):
    with pytest.raises(InvalidInputError, match="too long for its receipt"):
        plan(folder / "a.txt", tmp_path / ("a" * 239 + ".txt"), capitals())
    plan(folder / "a.txt", tmp_path / ("a" * 238 + ".txt"), capitals()).run()
    (folder / "x.csv").write_text("text\nhello\n")
    os.rename(folder / "x.csv", os.fsencode(folder) + b"/caf\xe9.csv")
    with pytest.raises(InvalidInputError, match=r"caf\\xe9.csv is not UTF-8"):
        plan(folder, tmp_path / "out", capitals(), column="text")


def test_what_is_no_file_is_left_out_and_named(tmp_path, folder, capitals):
    os.mkfifo(folder / "pipe.txt")
    (folder / "broken.txt").symlink_to(tmp_path / "absent")
    (tmp_path / "other").mkdir()
    (folder / "linked").symlink_to(tmp_path / "other")
    (folder / "also.txt").symlink_to(folder / "a.txt")
    job = plan(folder, tmp_path / "out", capitals())
    assert job.shards.left_out == ["broken.txt", "linked", "pipe.txt"]
    assert [shard.name for shard in job.shards.files] == ["a.txt", "also.txt"]


def test_a_file_that_was_lost_while_a_run_was_stopped_is_not_promised(tmp_path, folder, capitals):
    (folder / "b.txt").write_text("two\n")
    seen = []

    class Stopping(capitals):
        def run(self, texts, source):
            seen.append(texts)
            if len(seen) == 2:
                raise KeyboardInterrupt
            return super().run(texts, source)

    options = {"threads": 1}
    with pytest.raises(KeyboardInterrupt):
        plan(folder, tmp_path / "out", Stopping(), **options).run()
    (PartialFolder(tmp_path / "out").output / "a.txt").write_text("")
    with pytest.raises(InvalidInputError, match=r"a.txt was changed since it was written.*--discard"):
        plan(folder, tmp_path / "out", capitals(), **options).run()


def test_a_key_that_nothing_can_write_does_not_stop_the_receipt(tmp_path, capitals):
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "w1", "\\ud800": "x"}\n')
    plan(tmp_path / "a.jsonl", tmp_path / "b.jsonl", capitals(), column="text").run()
    assert "\\ud800" in FileReceipt.load(receipt_path(tmp_path / "b.jsonl")).statement
    assert verify(tmp_path / "b.jsonl").ok


def test_a_name_is_not_both_a_file_and_a_folder():
    check_names(["a.parquet", "x/y.npy", "x.parquet"])
    with pytest.raises(InvalidInputError, match=r"x.parquet would be written both as a file and as a folder"):
        check_names(["x.parquet/y.npy", "a.npy", "x.parquet"])
