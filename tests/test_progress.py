"""Progress on a terminal: one bar at a time, for what takes longer than two seconds."""

from __future__ import annotations

import sys

import pytest

from textveil import progress as module
from textveil.progress import progress


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(module, "PATIENCE_SECONDS", -1.0)


@pytest.mark.usefixtures("terminal")
def test_work_within_other_work_does_not_draw_over_its_bar():
    with progress("outer", 2) as outer:
        outer()
        (shown,) = module._SHOWN
        with progress("inner", None) as inner:
            inner(title="still inner")
            assert [shown] == module._SHOWN
        assert [shown] == module._SHOWN
    assert module._SHOWN == []


@pytest.mark.usefixtures("terminal")
def test_a_bar_goes_when_the_work_fails():
    def work():
        with progress("work", 2) as step:
            step()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    assert module._SHOWN == []


def test_where_there_is_no_terminal_there_is_no_bar(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    with progress("work", 2) as step:
        step(title="more")
    assert module._SHOWN == []
