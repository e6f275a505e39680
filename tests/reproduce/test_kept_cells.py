"""Cells are computed once, also after a crash, and never taken for those of other data."""

from __future__ import annotations

import pytest

from textveil.cache import cache_folder
from textveil.reproduce.kept_cells import KeptCells


def test_a_cell_is_computed_once():
    first = KeptCells("table", ["data"])
    assert first.get("a", lambda: {"value": 1}) == {"value": 1}
    assert first.get("a", lambda: pytest.fail("computed again")) == {"value": 1}
    assert KeptCells("table", ["data"]).get("a", lambda: pytest.fail("computed again")) == {"value": 1}


def test_other_data_have_other_cells():
    KeptCells("table", ["data"]).get("a", lambda: 1)
    assert KeptCells("table", ["other data"]).get("a", lambda: 2) == 2


def test_a_line_cut_off_by_a_crash_is_computed_again_and_harms_no_other():
    cells = KeptCells("table", ["data"])
    cells.get("a", lambda: 1)
    cells.get("b", lambda: 2)
    (path,) = (cache_folder() / "cells").iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    again = KeptCells("table", ["data"])
    assert (again.get("a", lambda: 9), again.get("b", lambda: 3)) == (1, 3)
    assert KeptCells("table", ["data"]).get("b", lambda: 9) == 3
