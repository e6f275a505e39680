"""Table 1: the paper's numbers are right, and permute-and-flip errs less often."""

from __future__ import annotations

import math

import pytest
from typer.testing import CliRunner

from textveil.cli import app
from textveil.reproduce.sentdp.table_1 import CANDIDATES, ENOUGH, PAPER, chance_of_deep, fewest, table_1

ROWS = table_1().numbers["rows"]


def test_the_chances_are_those_of_the_paper_and_of_permute_and_flip():
    assert [row["chance"]["exponential"] for row in ROWS] == pytest.approx([0.9526, 0.9760, 0.9566, 0.9518], abs=5e-5)
    expected = [0.9534, 0.9769, 0.9634, 0.9751]
    assert [row["chance"]["permute-and-flip"] for row in ROWS] == pytest.approx(expected, abs=5e-5)


def test_the_exponential_chance_is_its_closed_form():
    for epsilon, deep, depth in PAPER:
        weight = deep * math.exp(epsilon * depth / 2)
        assert chance_of_deep("exponential", epsilon, deep, depth) == pytest.approx(
            weight / (weight + CANDIDATES - deep), rel=1e-12
        )


def test_the_fewest_deep_candidates_are_enough_and_one_less_is_not():
    assert [row["fewest"]["exponential"] for row in ROWS] == [52, 12, 5, 1]
    for epsilon, _, depth in PAPER[:3]:
        for law in ("exponential", "permute-and-flip"):
            least = fewest(law, epsilon, depth)
            assert chance_of_deep(law, epsilon, least, depth) >= ENOUGH > chance_of_deep(law, epsilon, least - 1, depth)


def test_the_command_prints_the_table():
    result = CliRunner().invoke(app, ["reproduce", "sentdp-table-1"])
    assert result.exit_code == 0
    assert "0.9526" in result.output
