"""Files are replaced whole or not at all, and nothing is left beside them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from textveil.durable import delete_unfinished, replacing, write_whole


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


def test_no_other_file_gives_way(tmp_path):
    (tmp_path / "file.new").write_bytes(b"someone's own")
    write_whole(tmp_path / "file", b"whole")
    assert (tmp_path / "file.new").read_bytes() == b"someone's own"
    write_whole(tmp_path / ("n" * 255), b"whole")
    assert len(list(tmp_path.iterdir())) == 3


def test_a_file_is_written_elsewhere_before_if_asked(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    with replacing(tmp_path / "file", beside=tmp_path / "elsewhere" / "half") as file:
        file.write(b"whole")
        assert [path.name for path in tmp_path.iterdir()] == ["elsewhere"]
    assert (tmp_path / "file").read_bytes() == b"whole"
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    (tmp_path / "file").touch(mode=0o640)
    (tmp_path / "file").chmod(0o640)
    write_whole(tmp_path / "file", b"whole")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_bytes(b"first")
    (tmp_path / "link").symlink_to("folder/file")
    write_whole(tmp_path / "link", b"second")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_bytes() == b"second"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_what_a_process_prints_into_is_written_on_and_never_replaced(tmp_path, stream, mode):
    (tmp_path / "link").symlink_to(f"/proc/self/fd/{1 if stream == 'stdout' else 2}")
    work = (
        "import pathlib, sys; from textveil.durable import write_whole; "
        f"sys.{stream}.write('before '); write_whole(pathlib.Path(sys.argv[1]), b'content'); "
        f"sys.{stream}.write(' after')"
    )
    for name in (f"/dev/{stream}", str(tmp_path / "link"), str(tmp_path / "printed")):
        (tmp_path / "printed").write_bytes(b"old ")
        with (tmp_path / "printed").open(mode) as printed:
            subprocess.run([sys.executable, "-c", work, name], **{stream: printed}, check=True)
            assert os.fstat(printed.fileno()).st_nlink == 1
        assert (tmp_path / "printed").read_bytes() == b"old " * (mode == "ab") + b"before content after"
    assert (tmp_path / "link").is_symlink()
    assert os.path.islink(f"/dev/{stream}")


def test_what_a_killed_process_was_writing_is_deleted_and_nothing_else(tmp_path):
    work = (
        "import os, pathlib, sys; from textveil.durable import replacing\n"
        "with replacing(pathlib.Path(sys.argv[1])) as file: os.kill(os.getpid(), 9)"
    )
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / ".own.new").touch()
    subprocess.run([sys.executable, "-c", work, tmp_path / "deeper" / "file"], check=False)
    assert len(list((tmp_path / "deeper").iterdir())) == 2
    delete_unfinished(tmp_path)
    assert [path.name for path in (tmp_path / "deeper").iterdir()] == [".own.new"]


def test_a_link_is_replaced_by_what_was_written_elsewhere(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "other").write_bytes(b"other")
    (tmp_path / "link").symlink_to("other")
    with replacing(tmp_path / "link", beside=tmp_path / "elsewhere" / "half") as file:
        file.write(b"whole")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").read_bytes() == b"whole"
    assert (tmp_path / "other").read_bytes() == b"other"


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
