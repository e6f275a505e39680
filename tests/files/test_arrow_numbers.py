import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from textveil.files.arrow_numbers import column_of_numbers, numbers_of

NUMBERS = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0]


@pytest.mark.parametrize("kind", ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("part", [slice(0, None), slice(3, None), slice(3, 9), slice(8, 10), slice(4, 4)])
def test_parts_of_columns_are_what_they_hold(kind, part):
    values = np.array(NUMBERS, dtype=kind)
    found = numbers_of(pa.array(values)[part])
    assert found.dtype == values.dtype
    assert (found == values[part]).all()
    assert not found.flags.writeable


@pytest.mark.parametrize("kind", ["bool", "int32", "float32", "float64"])
@pytest.mark.parametrize("part", [slice(0, None), slice(0, 8), slice(1, None, 2), slice(0, 0)])
def test_columns_are_made_of_what_arrow_would_make_them(kind, part):
    values = np.array(NUMBERS, dtype=kind)[part]
    made = column_of_numbers(values)
    made.validate(full=True)
    assert made.equals(pa.array(values))


def test_a_column_without_rows_or_memory_is_empty():
    column = pa.Array.from_buffers(pa.int64(), 0, [None, None])
    assert numbers_of(column).tolist() == []


@pytest.mark.parametrize("kind", ["bool", "int8", "int64", "float32"])
def test_nulls_are_nothing_whatever_lies_in_their_memory(kind):
    present = np.array([True, False, True, True, False, False, True, True, False, True, True])
    values = np.ones(len(present), dtype=kind)
    column = pa.array(values)
    hidden = pa.Array.from_buffers(column.type, len(values), [pa.array(present).buffers()[1], column.buffers()[1]])
    for part in (slice(0, None), slice(3, 10)):
        found = numbers_of(hidden[part])
        assert found.dtype == values.dtype
        assert (found == (values * present)[part]).all()


RELEASE_TEXTS = """
import textveil as tv
words = ["red", "green", "blue"]
mechanism = tv.Exponential(tv.Vocabulary(words, [[0.0], [1.0], [2.0]], unknown="red"), epsilon=1.0)
work = tv.TextRewriter(mechanism)
"""
RELEASE_VECTORS = """
import textveil as tv
work = tv.Laplace(epsilon=1.0, dimension=2)
"""
RELEASE = """
import sys
from pathlib import Path
from textveil.jobs import plan
plan(Path(sys.argv[1]), Path(sys.argv[2]), work, column="private").run()
assert "pandas" not in sys.modules
"""


@pytest.mark.parametrize(
    ("work", "column"),
    [(RELEASE_TEXTS, ["red blue", None, "green"]), (RELEASE_VECTORS, [[1.0, 2.0], None, [0.5, 0.25]])],
    ids=["texts", "vectors"],
)
def test_releases_do_without_pandas(tmp_path, work, column):
    """Where pandas is installed, importing it takes a third of a second in every process."""
    pq.write_table(pa.table({"private": column}), tmp_path / "in.parquet")
    command = [sys.executable, "-c", work + RELEASE, tmp_path / "in.parquet", tmp_path / "out.parquet"]
    subprocess.run(command, check=True)
