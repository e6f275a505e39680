"""Files are replaced whole or not at all, and nothing is left beside them."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from textveil.durable import replacing, write_whole


def test_a_file_gets_all_of_its_content(tmp_path):
    write_whole(tmp_path / "file", b"first")
    write_whole(tmp_path / "file", b"second")
    with replacing(tmp_path / "file", mode=0o600) as file:
        file.write(b"third")
        assert (tmp_path / "file").read_bytes() == b"second"
    assert (tmp_path / "file").read_bytes() == b"third"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_file_keeps_its_content_if_writing_fails_and_nothing_is_left_beside_it(tmp_path):
    def write():
        with replacing(tmp_path / "file") as file:
            file.write(b"sec")
            raise OSError("the disk is full")

    write_whole(tmp_path / "file", b"first")
    with pytest.raises(OSError, match="full"):
        write()
    assert (tmp_path / "file").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_a_killed_run_has_left_gives_way(tmp_path):
    (tmp_path / "file.new").write_bytes(b"half")
    write_whole(tmp_path / "file", b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_programs_that_replace_a_file_at_once_leave_it_whole(tmp_path):
    def write(number):
        with replacing(tmp_path / "file") as file:
            file.write(bytes([number]) * 100_000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(32)))
    content = (tmp_path / "file").read_bytes()
    assert len(content) == 100_000
    assert len(set(content)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_no_file_takes_the_place_of_a_device_or_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_bytes)
        write_whole(tmp_path / "pipe", b"content")
        assert read.result() == b"content"
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
