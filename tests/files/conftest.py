"""Copy files through a change that can be seen exactly: letters become capitals."""

from __future__ import annotations

import pytest

from textveil.files import Format, Selection, open_sink, open_source
from textveil.hashing import Packed


def in_capitals(texts):
    data = texts.data.copy()
    letters = (data >= 97) & (data <= 122)
    data[letters] -= 32
    return Packed(data, texts.offsets)


@pytest.fixture
def capitals(tmp_path):
    """Copy a file with its texts in capitals; returns the output's path and the source."""

    def copy(path, *, told=None, batch_bytes=1 << 16, work=in_capitals, **selection):
        form = Format.of(path, told)
        source = open_source(path, form, Selection(**selection), batch_bytes=batch_bytes)
        target = tmp_path / f"copy-{path.name}"
        sink = open_sink(source, target, form)
        try:
            if source.head:
                sink.append(sink.pack(source.head))
            for batch in source.batches():
                assert batch.position.items - batch.start.items == len(batch.items)
                sink.append(sink.pack(source.fill(batch, work(batch.items))))
            sink.finish()
        finally:
            sink.close()
        return target, source

    return copy


@pytest.fixture
def copied(tmp_path, capitals):
    """Write bytes to a file, copy it in capitals, return the bytes of the copy."""

    def copy(content, name="input.txt", **options):
        path = tmp_path / name
        path.write_bytes(content)
        return capitals(path, **options)[0].read_bytes()

    return copy
