"""ADePT reproduced: the paper's percentages, the noise of every version, and what the command writes."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

import textveil as tv
from textveil.cli import app
from textveil.reproduce import REPRODUCTIONS, adept, reproduce

FALSE_ALARM = 1e-6
UNIFORM, NORMAL, OTHER_NORMAL = adept.LAWS
TEXTVEIL = Path(sys.executable).with_name("textveil")


# An independent count of 10,000 pairs for each.
@pytest.mark.parametrize(
    ("law", "dimension", "percent"),
    [
        (UNIFORM, 2, 13.3),
        (UNIFORM, 4, 60.2),
        (UNIFORM, 8, 95.3),
        (NORMAL, 12, 2.2),
        (NORMAL, 16, 28.0),
        (NORMAL, 20, 74.2),
        (OTHER_NORMAL, 4, 14.0),
        (OTHER_NORMAL, 6, 53.2),
    ],
)
def test_as_many_pairs_are_too_far_apart_as_another_count_says(law, dimension, percent, monkeypatch):
    """Fisher's exact test of two counts; it fails for a normal law of deviation x1.3, and for another dimension."""
    pairs, other = 5000, 10_000

    def pvalue(share):
        ours, theirs = round(share * pairs), round(percent / 100 * other)
        return stats.fisher_exact([[ours, pairs - ours], [theirs, other - theirs]]).pvalue

    assert pvalue(adept.violating_share(law, dimension, pairs=pairs)) > FALSE_ALARM
    assert pvalue(adept.violating_share(law, dimension + 2, pairs=pairs)) < FALSE_ALARM
    if law != UNIFORM:
        monkeypatch.setitem(adept.LAWS, law, 1.3 * adept.LAWS[law])
        assert pvalue(adept.violating_share(law, dimension, pairs=pairs)) < FALSE_ALARM


def test_no_pair_is_too_far_apart_in_one_dimension_or_with_l1_clipping():
    assert adept.violating_share(UNIFORM, 1, pairs=5000) == 0
    assert adept.violating_share(UNIFORM, 2, pairs=5000, order=1) == 0
    assert adept.violating_share(OTHER_NORMAL, 40, pairs=5000, order=1) == 0
    assert adept.violating_share(NORMAL, 40, pairs=5000) == 1


def test_the_pairs_are_public_and_portions_do_not_matter(monkeypatch):
    share = adept.violating_share(NORMAL, 16, pairs=3000)
    monkeypatch.setattr(adept, "_NUMBERS_AT_ONCE", 1000)
    assert adept.violating_share(NORMAL, 16, pairs=3000) == share
    assert adept.violating_share(NORMAL, 16, pairs=3000, source=tv.RandomSource.seeded(1)) != share


# To the digits of the table that is reproduced; PrivUnit at 32 dimensions and epsilon 32 as corrected there.
@pytest.mark.parametrize(
    ("dimension", "epsilon", "expected"),
    [
        (32, 1, (16.0, 90.5, 65.0, 47.8, 42.7, 14.1)),
        (32, 32, (0.50, 2.83, 2.03, 2.45, 1.76, 0.515)),
        (768, 10, (7.84, 217, 154, 30.0, 29.7, 8.47)),
    ],
)
def test_drawn_noise_is_as_large_as_the_table_says(dimension, epsilon, expected):
    """Within 1%: more than four standard errors of the noise drawn, and scale x1.3 is far outside."""
    measured = adept.measured_errors(dimension, epsilon)
    assert list(measured.values()) == pytest.approx(expected, rel=0.01)


def test_all_formulas_are_those_of_the_table():
    (cell,) = adept.noise(rows=((8, 2.0),), numbers=1 << 16).numbers["rows"]
    assert cell["formula"]["published, broken"] == pytest.approx(4.0)
    assert cell["formula"]["corrected"] == pytest.approx(8 * math.sqrt(2))
    assert list(cell["measured"].values()) == pytest.approx(list(cell["formula"].values()), rel=0.03)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(adept, "figure_1", partial(adept.figure_1, dimensions=(1, 2, 32), pairs=500))
    monkeypatch.setattr(adept, "noise", partial(adept.noise, rows=((4, 1.0),), numbers=400))


def test_the_command_prints_a_table_and_writes_picture_and_numbers(quick, tmp_path):
    done = CliRunner().invoke(app, ["reproduce", "adept-figure-1", "-o", str(tmp_path / "figure.png")])
    assert done.exit_code == 0
    assert "0.117" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["figure.json", "figure.png"]
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    numbers = json.loads((tmp_path / "figure.json").read_text())
    assert numbers["true_epsilon"]["4"] == pytest.approx([4, 4 * math.sqrt(2), 4 * math.sqrt(32)])
    assert numbers["delta_at_claimed_epsilon"]["8"] == pytest.approx([0, 0.65125, 0.97359], abs=1e-5)
    assert np.shape(list(numbers["violating_share"].values())) == (3, 3)


def test_numbers_alone_are_written_where_there_is_no_picture(quick, tmp_path):
    done = CliRunner().invoke(app, ["reproduce", "adept-noise", "--output", str(tmp_path / "noise.json")])
    assert (done.exit_code, [path.name for path in tmp_path.iterdir()]) == (0, ["noise.json"])
    with pytest.raises(tv.InvalidInputError, match=r"only numbers: use noise\.json"):
        reproduce("adept-noise").save(tmp_path / "noise.png")
    assert [path.name for path in tmp_path.iterdir()] == ["noise.json"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "'nothing'; known: adept-figure-1, adept-noise"),
        (["adept-nose"], "did you mean adept-noise? known: adept-figure-1"),
        (["adept-noise", "--data", ".", "--quick"], "adept-noise reads no data and has no quick part: omit --data and"),
        (["adept-figure-1", "-o", "figure.doc"], "must end in one of .png"),
        (["adept-figure-1", "-o", "nowhere/figure.png"], "no folder nowhere"),
        (["hyperbolic-table-1", "-o", "words.png"], "hyperbolic-table-1 has no picture, only numbers: use words.json"),
        (["nothing", "-o", "figure.png"], "known: adept-figure-1, adept-noise"),
    ],
)
def test_nonsense_is_one_line_and_status_2(arguments, message, tmp_path):
    done = subprocess.run(
        [TEXTVEIL, "reproduce", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_without_what_draws_nothing_is_computed_for_a_picture(quick, tmp_path, monkeypatch):
    monkeypatch.setattr("textveil.measure.picture.figures.find_spec", lambda _: None)
    done = CliRunner().invoke(app, ["reproduce", "adept-figure-1", "--output", str(tmp_path / "figure.png")])
    assert "pip install textveil[plot]" in str(done.exception)
    done = CliRunner().invoke(app, ["reproduce", "adept-figure-1", "--output", str(tmp_path / "figure.json")])
    assert (done.exit_code, [path.name for path in tmp_path.iterdir()]) == (0, ["figure.json"])


def test_what_can_not_be_drawn_has_its_numbers(quick, tmp_path):
    made = replace(reproduce("adept-figure-1"), draw=lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        made.save(tmp_path / "figure.png")
    assert [path.name for path in tmp_path.iterdir()] == ["figure.json"]


@pytest.mark.parametrize("name", ["adept-figure-1", "adept-noise", "sentdp-table-1"])
def test_what_is_said_to_draw_draws_and_everything_has_its_tables_for_a_page(quick, name):
    made = reproduce(name)
    assert (made.draw is not None) == REPRODUCTIONS[name].draws
    for table in made.tables:
        lines = made.section.split(str(table.title))[1].strip().splitlines()
        assert lines[1].count("---") == len(table.columns)
        assert [line.startswith("| ") for line in lines[: 2 + table.row_count]] == [True] * (2 + table.row_count)


def test_tables_are_printed_whole(quick, monkeypatch):
    for columns in ("80", "30"):
        monkeypatch.setenv("COLUMNS", columns)
        done = CliRunner().invoke(app, ["reproduce", "adept-noise"])
        assert "Gaussian, delta" in done.output
        assert "…" not in done.output


def test_names_are_listed_each_in_a_line_of_its_own():
    for asked in ([], ["--help"]):
        done = CliRunner().invoke(app, ["reproduce", *asked], env={"COLUMNS": "80"})
        lines = [line.strip() for line in done.output.splitlines()]
        for name, entry in REPRODUCTIONS.items():
            assert [line for line in lines if line.startswith(f"{name} ") and entry.shows[:30] in line], name


def test_every_reproduction_has_its_function():
    for entry in REPRODUCTIONS.values():
        assert callable(getattr(import_module(f"textveil.reproduce.{entry.file}"), entry.function))
