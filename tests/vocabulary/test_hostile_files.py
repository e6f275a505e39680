import gzip
import io
import pickle
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from textveil.errors import InvalidInputError
from textveil.vocabulary import Vocabulary

FLOATS = struct.pack("<3f", 1, 2, 3)
TEXT = b"a 1 2 3\nb 4 5 6\nc 7 8 9\n"
BINARY = b"2 3\na " + FLOATS + b"b " + FLOATS


def refused(path, content, **options):
    path.write_bytes(content)
    with pytest.raises(InvalidInputError) as caught:
        Vocabulary.load(path, **options)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (gzip.compress(b"", mtime=0), "empty"),
        (b"a 1 2 3\n", "at least 2 words (got 1)"),
        (b"hello\nworld\n", "line 1: expected a word and 1 to"),
        (TEXT + b"d 1 2\n", "line 4: expected a word and 3 numbers (found 2 in 'd 1 2')"),
        (TEXT + b"d 1 2 x\n", "line 4: expected a word and 3 numbers"),
        (TEXT + b"d 0.5 1 2 3\n", "line 4: expected a word and 3 numbers (found 4"),
        (TEXT + b"1 2 3\n", "line 4: expected a word and 3 numbers"),
        (TEXT + b"\xff\xfe 1 2 3\n", "line 4: the word"),
        (TEXT + b"nan nan 2 3\n", "the vector of 'nan' must be finite"),
        (TEXT + b"d 1 2 inf\n", "the vector of 'd' must be finite"),
        (TEXT + b"d 1 2 1e999\n", "the vector of 'd' must be finite"),
        (TEXT + b"a 1 2 3\n", "line 4: the word 'a' occurs twice"),
        (b"9 3\n" + TEXT, "the header promises 9 words but 3 were found"),
        (b"2 3\n" + TEXT, "the header promises 2 words but 3 were found"),
        (b"3 2\n" + TEXT.replace(b" 1 ", b" 1.5 "), "expected a word and 2 numbers"),
        (b"3 4\n" + TEXT, "line 2: expected a word and 4 numbers"),
        (b"3 999999999999\n" + TEXT, "expected a word and 1 to 65536 numbers"),
        (BINARY[:-1], "the header promises 2 words but the file ends in word 2"),
        (BINARY[:10], "the file ends in word 1"),
        (BINARY + b"c " + FLOATS, "promises 2 words but more follow"),
        (BINARY.replace(b"2 3", b"999999999999999 3", 1), "the file ends in word 3"),
        (BINARY.replace(b"2 3", b"2 99999999999", 1), "number of words and of dimensions"),
        (BINARY.replace(b"b ", b"a "), "word 2: the word 'a' occurs twice"),
        (BINARY.replace(b"b ", b"\xff "), "word 2: the word"),
        (BINARY.replace(b"b ", b" "), "word 2: a vector has no word"),
        (BINARY.replace(FLOATS, struct.pack("<3f", 1, 2, float("nan"))), "the vector of 'a' must be finite"),
        (gzip.compress(TEXT, mtime=0)[:-9], "damaged or cut short"),
        (gzip.compress(TEXT * 99, mtime=0)[:40] + b"junk" * 9, "damaged or cut short"),
        (b"PK\x03\x04 no zip", "damaged or cut short"),
        (b"\x93NUMPY\x01\x00", "not a plain array"),
        (pickle.dumps({"a": 1}), "pickle"),
    ],
)
def test_hostile_content_gets_a_clear_error(tmp_path, content, message):
    assert message in refused(tmp_path / "table", content)


@pytest.mark.parametrize("letter", [b"a", b"1 ", b"a ", b"\x00"])
def test_a_line_of_ten_megabytes_is_refused(tmp_path, letter):
    long = letter * (10_000_000 // len(letter))
    refused(tmp_path / "only", long)
    refused(tmp_path / "first", long + b"\n" + TEXT)
    assert "line 4" in refused(tmp_path / "last", TEXT + long)


def test_a_binary_word_of_ten_megabytes_is_refused(tmp_path):
    assert "longer than" in refused(tmp_path / "table", b"2 3\n" + b"\x01" * 10_000_000)


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="No such file"):
        Vocabulary.load(tmp_path / "missing.txt")
    with pytest.raises(InvalidInputError, match="directory"):
        Vocabulary.load(tmp_path)


def test_nothing_is_ever_unpickled_from_arrays(tmp_path):
    words = np.array(["a", "b"], dtype=object)
    np.savez(tmp_path / "objects.npz", words=words, vectors=np.eye(2))
    np.save(tmp_path / "objects.npy", words)
    for name in ("objects.npz", "objects.npy"):
        with pytest.raises(InvalidInputError, match="plain array"):
            Vocabulary.load(tmp_path / name)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"words": np.array(["a", "b"])}, "no array named 'vectors'"),
        ({"words": np.array(["a", "b"]), "vectors": np.eye(3)}, "3 vectors but 2 words"),
        ({"words": np.array(["a", "b"]), "vectors": np.ones(2)}, "table of real numbers"),
        ({"words": np.array(["a", "b"]), "vectors": np.array([["x"], ["y"]])}, "table of real numbers"),
        ({"words": np.array([1, 2]), "vectors": np.eye(2)}, "list of strings"),
        ({"words": np.array(["a", "a"]), "vectors": np.eye(2)}, "row 1: the word 'a' occurs twice"),
        ({"words": np.array(["a", "b"]), "vectors": np.full((2, 2), np.nan)}, "must be finite"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, arrays, message):
    content = io.BytesIO()
    np.savez(content, **arrays)
    assert message in refused(tmp_path / "table.npz", content.getvalue())


def test_a_zip_of_text_is_to_be_unzipped(tmp_path):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("glove.txt", TEXT)
    assert "unzip it" in refused(tmp_path / "glove.zip", content.getvalue())


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.integers(0, 60), st.sampled_from([TEXT, b"3 3\n" + TEXT, BINARY]))
@example(b"\x93NUMPY\x01\x00\xff\xff", 0, TEXT)
@example(b"\x0c\n", 0, TEXT)
@example(b"\n\x0b \x0c\n", len(TEXT), TEXT)
def test_garbage_loads_or_is_refused_but_never_breaks(tmp_path, garbage, place, content):
    path = tmp_path / "table"
    path.write_bytes(content[:place] + garbage + content[place:])
    try:
        said = repr(Vocabulary.load(path))
    except InvalidInputError as error:
        said = str(error)
    assert said.startswith(("Vocabulary", str(path)))
