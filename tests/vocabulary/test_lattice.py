from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.vocabulary.lattice import STEP, LatticeTable


def snapped(values):
    table = LatticeTable(1)
    table.append([str(value) for value in values], np.array(values, dtype=np.float64)[:, None])
    return table.finish()


@settings(deadline=None)
@given(st.lists(st.floats(-(2.0**31), 2.0**31), min_size=1, max_size=8))
def test_values_go_to_the_nearest_multiple_and_halves_to_the_even_one(values):
    steps = [round(Fraction(value) * 2**20) for value in values]
    if any(steps) or not any(values):
        points = snapped(values)[:, 0]
        assert [Fraction(float(point)) for point in points] == [Fraction(step, 2**20) for step in steps]


def test_storage_is_float32_exactly_where_nothing_is_lost():
    assert snapped([1.0, 15.9999]).dtype == np.float32
    assert snapped([1.0, 4096.0]).dtype == np.float32
    wide = snapped([1.0] * 5000 + [16 + STEP])
    assert wide.dtype == np.float64
    assert wide[0, 0] == 1.0
    assert wide[-1, 0] == 16 + STEP


def test_a_table_grows_without_losing_rows():
    table = LatticeTable(3, capacity=1)
    rows = np.random.default_rng(0).integers(-99, 99, (9000, 3)).astype(np.float64)
    for start in range(0, len(rows), 700):
        table.append(["word"] * 700, rows[start : start + 700])
    assert (table.finish() == rows).all()


def test_there_is_no_negative_zero():
    assert not np.signbit(snapped([-1e-9, -0.0, 1.0])).any()
