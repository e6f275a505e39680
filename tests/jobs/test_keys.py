"""The key of a run is one that nobody else could have chosen or seen."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from textveil.errors import InvalidInputError
from textveil.jobs import keys, plan
from textveil.jobs.keys import key_in
from textveil.jobs.partial import PartialFolder


@pytest.mark.parametrize("how", ["open", "readable", "link", "file", "another's"])
def test_a_folder_that_others_could_have_filled_is_refused(tmp_path, words, capitals, monkeypatch, how):
    partial = PartialFolder(tmp_path / "out.txt").folder
    if how == "link":
        (tmp_path / "theirs").mkdir(mode=0o700)
        partial.symlink_to(tmp_path / "theirs")
    elif how == "file":
        partial.write_text("")
    else:
        partial.mkdir(mode=0o700)
        partial.chmod({"open": 0o777, "readable": 0o750}.get(how, 0o700))
    if how == "another's":
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(InvalidInputError, match="not a folder that only you can open"):
        plan(words, tmp_path / "out.txt", capitals()).run()
    assert not (tmp_path / "out.txt").exists()


def test_whoever_makes_a_key_file_at_once_gets_the_one_that_is_there(tmp_path):
    for number in range(40):
        path = tmp_path / f"key-{number}"
        with ThreadPoolExecutor(8) as pool:
            found = set(pool.map(key_in, [path] * 8))
        assert found == {path.read_bytes()}
    assert len(list(tmp_path.iterdir())) == 40


def test_a_key_is_made_where_a_file_has_but_one_name(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(keys.os, "link", refuse)
    assert key_in(tmp_path / "key") == (tmp_path / "key").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_where_a_file_has_but_one_name_no_key_takes_the_place_of_another(tmp_path, monkeypatch):
    def refuse(_, path):
        path.write_bytes(bytes(32))
        path.chmod(0o600)
        raise PermissionError

    monkeypatch.setattr(keys.os, "link", refuse)
    assert key_in(tmp_path / "key") == bytes(32)
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_keys_that_were_being_made_are_deleted_with_the_run(tmp_path):
    partial = PartialFolder(tmp_path / "out.txt")
    with partial.locked():
        (partial.folder / ".key-abc.new").write_bytes(bytes(32))
        partial.clear()
    assert not partial.folder.exists()


def test_a_run_with_a_key_file_says_so_to_whoever_forgets_it(tmp_path, words, capitals):
    class Once(capitals):
        def run(self, texts, source):
            raise OSError("full")

    options = {"batch_bytes": 500, "checkpoint_seconds": 0.0}
    with pytest.raises(OSError, match="go on"):
        plan(words, tmp_path / "out.txt", Once(), key_file=tmp_path / "key", **options).run()
    with pytest.raises(InvalidInputError, match=r"had a key file: give the same one \(--key-file\)"):
        plan(words, tmp_path / "out.txt", capitals(), **options).run()
    plan(words, tmp_path / "out.txt", capitals(), key_file=tmp_path / "key", **options).run()
    assert (tmp_path / "out.txt").read_bytes() == words.read_bytes().upper()
