"""Figures 3 and 5: the printed density is one, the chain does not always go to it, and counts are what came out."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

from textveil.cli import app
from textveil.reproduce import hyperbolic_figures as figures


def test_the_printed_density_has_mass_1_and_at_small_epsilon_the_chain_is_not_of_it():
    """By chance the distance is twice its mean, more than 7 deviations from it, with a chance below 1e-10."""
    panels = figures.figure_3(chains=4000).numbers["panels"]
    for panel in panels:
        assert panel["mass of the printed density"] == pytest.approx(1, abs=1e-3)
    for panel in panels[:2]:
        assert panel["distance of the chain"] > 2 * panel["by chance"]


def test_draws_of_the_density_itself_are_as_far_from_it_as_chance_says():
    """The same distance for draws of the density: a fair test, which the chain fails."""
    rng = np.random.default_rng(0)
    masses = np.array([figures.cell_mass(low, low + 0.05, 1.0) for low in np.arange(-1, 1, 0.05)])
    counts = rng.multinomial(20_000, masses / masses.sum())
    distance = np.abs(counts / 20_000 - masses).sum() / 2
    assert distance < 2 * figures.chance_distance(masses, 20_000)


def test_counts_are_those_of_the_paper():
    ids, outputs = np.array([5, 6, 7]), np.array([[5, 5, 6, 9], [6, 6, 6, 6], [9, 9, 9, 9]])
    found = figures.counted(ids, outputs)
    assert found["N_w, mean"]["value"] == pytest.approx(1000 * (0.5 + 1 + 0) / 3)
    assert found["N_w, largest"]["value"] == 1000
    assert found["S_w"]["value"] == pytest.approx((3 + 1 + 1) / 3)
    assert found["K_w"]["value"] == pytest.approx((1 + 2 + 2) / 3)


def test_epsilon_steers_the_exponential_and_hardly_the_published_chain(tmp_path, ball):
    made = figures.figure_5(data=tmp_path, quick=True, vocabulary=ball)
    assert "here 40 words of Hearst patterns, so that K_w is at most 40" in str(made.tables[0].title)
    kept = {(r["way"], r["epsilon"]): r["value"] for r in made.records if r["statistic"] == "N_w, mean"}
    outputs = {(r["way"], r["epsilon"]): r["value"] for r in made.records if r["statistic"] == "S_w"}
    exact = [kept["Exponential", epsilon] for epsilon in figures.EPSILONS]
    assert np.all(np.diff(exact) > 0)
    assert exact[-1] > 20 * exact[0]
    assert kept["published", 1.0] < 3 * kept["published", 0.125] + 20
    assert outputs["Exponential", 0.125] > outputs["Exponential", 8.0]


def test_the_commands_write_pictures_and_numbers(ball, monkeypatch, tmp_path):
    monkeypatch.setattr(figures, "figure_3", partial(figures.figure_3, chains=200))
    monkeypatch.setattr(figures, "figure_5", partial(figures.figure_5, vocabulary=ball))
    for name, more in (("hyperbolic-figure-3", ()), ("hyperbolic-figure-5", ("--data", str(tmp_path), "--quick"))):
        done = CliRunner().invoke(app, ["reproduce", name, *more, "-o", str(tmp_path / f"{name}.png")])
        assert done.exit_code == 0, done.output
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    measured = json.loads((tmp_path / "hyperbolic-figure-5.json").read_text())["measured"]
    printed = {number for row in figures.PAPER.values() for number in row}
    assert {record["paper"] for record in measured} == {None, *printed}
