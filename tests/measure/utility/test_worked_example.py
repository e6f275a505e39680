from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[3] / "docs" / "utility.md").read_text()


def test_the_numbers_of_the_page_are_computed():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(code, {})  # noqa: S102
    told = [float(number) for number in re.findall(r"\)  # ([\d.]+):", code)]
    assert [float(line) for line in shown.getvalue().split()] == pytest.approx(told, rel=0.005)
    assert len(told) == 6
