import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from textveil.files.arrow_numbers import numbers_of

NUMBERS = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0]


@pytest.mark.parametrize("kind", ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("part", [slice(0, None), slice(3, None), slice(3, 9), slice(8, 10), slice(4, 4)])
def test_parts_of_columns_are_what_they_hold(kind, part):
    values = np.array(NUMBERS, dtype=kind)
    found = numbers_of(pa.array(values)[part])
    assert found.dtype == values.dtype
    assert (found == values[part]).all()


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


RELEASE = """
import sys
from pathlib import Path
import textveil as tv
from textveil.jobs import plan
words = ["red", "green", "blue"]
mechanism = tv.Exponential(tv.Vocabulary(words, [[0.0], [1.0], [2.0]], unknown="red"), epsilon=1.0)
plan(Path(sys.argv[1]), Path(sys.argv[2]), tv.TextRewriter(mechanism), column="text").run()
assert "pandas" not in sys.modules
"""


def test_texts_are_released_without_pandas(tmp_path):
    """Where pandas is installed, importing it takes a worker longer than a file."""
    pq.write_table(pa.table({"text": ["red blue", None, "green"]}), tmp_path / "in.parquet")
    subprocess.run([sys.executable, "-c", RELEASE, tmp_path / "in.parquet", tmp_path / "out.parquet"], check=True)
