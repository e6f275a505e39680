"""Somebody's function as an audit calls it: found by name, one input a call, errors in one line."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

from textveil.auditing.functions import Called, function_of
from textveil.errors import InvalidInputError


def doubled(value):
    return 2 * value


def failing(value):
    raise RuntimeError("no weights\nat all")


def test_a_function_is_found_in_the_working_folder_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "k_module.py").write_text("class Noise:\n    @staticmethod\n    def add(x):\n        return x + 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert function_of("k_module:Noise.add")(1) == 2
    with pytest.raises(InvalidInputError, match="no nothing in k_module"):
        function_of("k_module:nothing")
    with pytest.raises(InvalidInputError, match="not a function"):
        function_of("k_module:__name__")


@pytest.mark.parametrize(
    ("name", "told"),
    [(":f", "module:function"), ("json:", "module:function"), ("no_such_module_k:f", "can't be imported: ModuleNot")],
)
def test_a_function_that_is_not_there_is_told_in_one_line(name, told):
    with pytest.raises(InvalidInputError, match=told):
        function_of(name)


def test_a_module_that_breaks_when_it_is_imported_is_no_verdict(tmp_path, monkeypatch):
    (tmp_path / "k_breaks.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InvalidInputError, match="k_breaks can't be imported: ZeroDivisionError"):
        function_of("k_breaks:f")


def test_an_error_of_the_function_is_told_in_one_line():
    with pytest.raises(InvalidInputError, match=r"^mine raised RuntimeError: no weights$"):
        Called(failing, "mine")(1)


def test_calls_are_counted():
    calls = []
    called = Called(doubled, "mine", step=lambda: calls.append(1))
    assert [called(value) for value in (1, 2, 3)] == [2, 4, 6]
    assert len(calls) == 3


def test_a_batch_is_asked_for_at_once_and_handed_out_one_by_one():
    batches = []

    def many(rows):
        batches.append(len(rows))
        return rows + np.arange(len(rows))[:, None]

    called = Called(many, "mine", batch=True)
    outputs = [called(np.zeros(2)) for _ in range(100)]
    assert len(batches) == 2
    assert len({output.tobytes() for output in outputs[:64]}) == 64
    assert called(np.ones(2)).shape == (2,)
    assert len(batches) == 3
    assert Called(lambda texts: [text.upper() for text in texts], "mine", batch=True)("a") == "A"


def test_outputs_that_wait_belong_to_one_input_to_the_last_bit():
    shapes = Called(lambda rows: [str(row.shape) for row in rows], "mine", batch=True)
    assert [shapes(np.zeros((2, 2))), shapes(np.zeros(4))] == ["(2, 2)", "(4,)"]
    kinds = Called(lambda rows: [str(row.dtype) for row in rows], "mine", batch=True)
    assert [kinds(np.zeros(2)), kinds(np.zeros(2, dtype=np.int64))] == ["float64", "int64"]


def test_tensors_that_are_printed_alike_are_other_inputs():
    torch = pytest.importorskip("torch")
    first = Called(lambda rows: [float(row[0]) for row in rows], "mine", batch=True)
    x, y = torch.tensor([1.00001, 0.0]), torch.tensor([1.00002, 0.0])
    assert first(x) != first(y)


@pytest.mark.parametrize("answer", [lambda rows: rows[:-1], lambda rows: 7, lambda rows: "x" * len(rows)])
def test_a_batch_must_have_as_many_outputs_as_inputs(answer):
    with pytest.raises(InvalidInputError, match="64 outputs"):
        Called(answer, "mine", batch=True)("a")


def test_outputs_that_wait_are_not_handed_out_by_two_processes():
    """Else forked workers would be accused of sharing their noise."""
    called = Called(lambda values: list(range(len(values))), "mine", batch=True)
    called("a")
    called._process = os.getpid() + 1
    assert called("a") == 63
    again = pickle.loads(pickle.dumps(Called(doubled, "mine", step=lambda: None)))  # noqa: S301
    assert again(4) == 8
    assert again.__name__ == "mine"
