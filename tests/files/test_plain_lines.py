from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.files import Format, Kind, Position, Selection, open_source
from textveil.files.plain_lines import PlainLines
from textveil.files.spans import splice
from textveil.hashing import Packed

HOSTILE = {
    "empty": b"",
    "one line end": b"\n",
    "no last line end": b"one\ntwo",
    "CR LF": b"one\r\ntwo\r\n\r\n",
    "mixed ends": b"a\r\nb\nc\rd\n\r",
    "NUL": b"a\0b\n\0\n",
    "not UTF-8": b"caf\xe9 \xff\xfe\n\x80",
    "byte order mark": b"\xef\xbb\xbfone\ntwo\n",
    "other scripts": "naïve 東京 😀\u2028next\n".encode(),
    "a line of 1 MB": b"word " * 200_000 + b"\nshort\n",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("batch_bytes", [1, 7, 1 << 16])
def test_every_byte_but_the_letters_stays(copied, content, batch_bytes):
    if len(content) > 1000 and batch_bytes < 1000:
        batch_bytes = 1000
    assert copied(content, batch_bytes=batch_bytes) == content.upper()


@given(st.binary(max_size=200).filter(lambda content: content[:2] not in (b"\xff\xfe", b"\xfe\xff")))
def test_lines_taken_apart_and_put_together_are_the_same(content):
    layout = PlainLines(Selection(), "here")
    data = np.frombuffer(content, dtype=np.uint8)
    spans = layout.scan(data, final=True)
    texts = layout.decode(data, spans)
    assert b"\n" not in texts.data.tobytes()
    assert splice(data, spans, layout.encode(texts, spans)).tobytes() == content
    assert len(texts) == spans.rows == len(content.split(b"\n")) - (content.endswith(b"\n") or not content)


@settings(max_examples=30, deadline=None)
@given(
    content=st.binary(min_size=1, max_size=300).filter(lambda content: content[0] < 0xEF),
    batch_bytes=st.integers(1, 50),
)
def test_reading_goes_on_from_any_position(tmp_path_factory, content, batch_bytes):
    path = tmp_path_factory.mktemp("lines") / "input.txt"
    path.write_bytes(content)
    source = open_source(path, Format(Kind.TXT), Selection(), batch_bytes=batch_bytes)
    whole = _texts(source.batches())
    for batch in source.batches():
        rest = _texts(source.batches(Position(**vars(batch.position))))
        assert rest == whole[batch.position.items :]
        assert batch.position.bytes == sum(map(len, whole[: batch.position.items])) + _ends_before(content, batch)


def _ends_before(content, batch):
    before = content[: batch.position.bytes]
    return before.count(b"\n") + before.count(b"\r\n")


def _texts(batches):
    return [
        batch.items.data[first:last].tobytes()
        for batch in batches
        for first, last in zip(batch.items.offsets[:-1], batch.items.offsets[1:], strict=True)
    ]


@pytest.mark.parametrize("content", [b"", b"one\ntwo\r\nthree", b"word " * 100_000])
def test_gzip_around_text_is_kept(copied, content):
    assert gzip.decompress(copied(gzip.compress(content), "input.txt.gz", batch_bytes=5000)) == content.upper()


def test_gzip_of_several_members_is_read_to_its_end(copied):
    content = gzip.compress(b"one\nt") + gzip.compress(b"wo\n")
    assert gzip.decompress(copied(content, "input.txt.gz")) == b"ONE\nTWO\n"


@pytest.mark.parametrize(
    "content",
    # The time in the header would give each test process another name for the same test.
    [b"plain text\n", gzip.compress(b"x" * 1000, mtime=0)[:-12], gzip.compress(b"xyz", mtime=0)[:8] + b"\xff" * 9],
    ids=["plain", "cut", "damaged"],
)
def test_damaged_gzip_is_named(copied, content):
    with pytest.raises(InvalidInputError, match=r"input.txt.gz (is not whole|ends in the middle of its) gzip data"):
        copied(content, "input.txt.gz")


def test_a_gzip_file_is_gone_on_with_from_a_position(tmp_path):
    path = tmp_path / "input.txt.gz"
    path.write_bytes(gzip.compress(b"".join(b"line %d\n" % number for number in range(1000))))
    source = open_source(path, Format(Kind.TXT, True), Selection(), batch_bytes=100)
    middle = list(source.batches())[30].position
    assert _texts(source.batches(middle)) == _texts(source.batches())[middle.items :]


def test_other_encodings_are_refused(copied):
    with pytest.raises(InvalidInputError, match="UTF-16; convert it to UTF-8"):
        copied("secret".encode("utf-16"))


def test_txt_has_no_columns(copied):
    with pytest.raises(InvalidInputError, match="no columns"):
        copied(b"one\n", column="text")


def test_a_released_line_break_is_refused(copied):
    with pytest.raises(InvalidInputError, match="line break"):
        copied(b"a\n", work=lambda texts: Packed.of([b"two\nlines"] * len(texts)))


def test_formats_come_from_the_extension_or_as_told(tmp_path):
    assert str(Format.of(tmp_path / "a.CSV.gz")) == "csv.gz"
    assert str(Format.of(tmp_path / "a.gz", "jsonl")) == "jsonl.gz"
    assert str(Format.of(tmp_path / "a.log", "txt")) == "txt"
    with pytest.raises(InvalidInputError, match="give --format"):
        Format.of(tmp_path / "a.docx")
    with pytest.raises(InvalidInputError, match="must be one of txt, csv"):
        Format.named("docx")
    with pytest.raises(InvalidInputError, match="compresses by itself"):
        Format.named("parquet.gz")
