"""The Euclidean columns of Table IV: counts of the law, a worst case that chance does not enlarge, and the crossing."""

from __future__ import annotations

import gzip
import json
from functools import partial

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

import textveil as tv
from textveil.cli import app
from textveil.reproduce import hyperbolic
from textveil.reproduce import hyperbolic_euclidean as columns
from textveil.reproduce.hyperbolic_euclidean import Column, Curve, Effort, held_out, matched
from textveil.reproduce.kept_cells import KeptCells

from .conftest import write

FALSE_ALARM = 1e-6
PUBLISHED = {"worst-case (all models)": 700, "expected HYP-100": 50, "expected EUC-3": 70}


@pytest.fixture(scope="session")
def folder(tmp_path_factory, ball):
    """Made-up vectors in the place of GloVe's, in three dimensions, of all words of the ball but two."""
    made, rng = tmp_path_factory.mktemp("glove"), np.random.default_rng(7)
    name = made / "vectors/glove.6B.3d.80k_plus_tasks"
    name.parent.mkdir()
    np.savez(f"{name}.f16.npz", vectors=rng.normal(0, 3, (len(ball) - 2, 3)).astype(np.float16))
    with gzip.open(f"{name}.words.txt.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"{word}\n" for word in reversed(ball.words[2:]))
    cells = [
        ("2-hyperbolic", "Table IV", "N_w_of_1000", f"eps={epsilon:g}", column, value)
        for epsilon in columns.EPSILONS
        for column, value in PUBLISHED.items()
    ]
    write(made / "reference/paper_tables.tsv.gz", ("paper", "table", "metric", "row", "column", "value"), cells)
    return made


SMALL = {"EUC-3": Column(3, False, 0.1, 30.0), "EUC-3, length 1": Column(3, True, 1.0, 300.0)}


def on_a_line(epsilon):
    """The chances that 0, 1 and 11 on a line stay themselves: the noise must not pass the middles between them."""
    near, far = np.exp(-epsilon / 2) / 2, np.exp(-5 * epsilon) / 2
    return np.array([1 - near, 1 - near - far, 1 - far])


def test_shares_are_those_of_the_law():
    """The lonely word is the worst case, the mean that of all; fails for an epsilon of 1.3 times."""
    line = tv.Vocabulary(["here", "near", "far"], np.array([[0.0], [1.0], [11.0]]))
    effort = Effort(repeats=4, first=4000, second=10, fresh=1000, points=2)
    curve = columns.released_curve(
        line, "EUC-1", Column(1, False, 0.3, 0.6), effort, KeptCells("test", []), lambda done=1, title=None: None
    )

    def pvalues(factor):
        law = on_a_line(0.3 * factor)
        worst = stats.binomtest(round(curve.worst[:, 0].sum() * 1000), 4000, law.max()).pvalue
        # Chances that differ make the pooled count less variable, so the test is a safe one.
        return worst, stats.binomtest(round(curve.expected[:, 0].sum() * 12_000), 48_000, law.mean()).pvalue

    assert min(pvalues(1)) > FALSE_ALARM
    assert max(pvalues(1.3)) < FALSE_ALARM
    assert curve.units == (1 / 12_000, 1 / 1000)


def test_the_worst_case_is_not_enlarged_by_chance():
    """Of 40 words with one chance the largest share is 2 deviations too large; held out, it is within .1 of one."""
    stayed = np.random.default_rng(1).binomial(400, 0.134, (2000, 5, 40)) / 400
    worst = np.array([held_out(table) for table in stayed])
    deviation = np.sqrt(0.134 * 0.866 / 400)
    assert abs(worst.mean() - 0.134) < 0.1 * deviation
    assert stayed.max(axis=2).mean() > 0.134 + 1.9 * deviation


def test_the_worst_case_is_that_of_the_word_that_stays_most():
    assert held_out(np.array([[0.1, 0.5, 0.2], [0.0, 0.6, 0.3]])).tolist() == [0.5, 0.6]


def test_epsilon_is_found_where_the_worst_case_is_the_target():
    """Log odds that are straight lines of ln epsilon are interpolated without error."""
    epsilons = np.geomspace(1, 16, 5)

    def share(log_odds):
        return 1 / (1 + np.exp(-log_odds))

    worst, expected = share(3 * np.log(epsilons) - 4), share(2 * np.log(epsilons) - 5)
    curve = Curve(epsilons, np.array([expected, expected]), np.array([worst, worst]), (1e-9, 1e-9))
    found = matched(curve, share(3 * np.log(3) - 4))
    assert found["epsilon"] == pytest.approx(3)
    assert found["mean"] == pytest.approx(1000 * share(2 * np.log(3) - 5))
    assert (found["runs"], found["around"]) == (2, None)


def test_a_worst_case_outside_the_epsilons_tried_has_no_match():
    curve = Curve(np.array([1.0, 2.0]), np.array([[0.1, 0.2]]), np.array([[0.3, 0.6]]), (0.01, 0.01))
    assert matched(curve, 0.2) is None
    assert matched(curve, 0.7) is None
    assert matched(curve, 0.5)["mean"] < 200


def test_a_worst_case_of_all_releases_is_half_a_release_less():
    curve = Curve(np.array([1.0, 2.0, 4.0]), np.array([[0.1, 0.2, 0.3]]), np.array([[0.5, 1.0, 1.0]]), (0.01, 0.01))
    assert matched(curve, 1.0)["epsilon"] == pytest.approx(2)


def test_words_keep_the_order_of_the_ball_and_may_be_scaled(folder, ball):
    plain, unit = (columns.glove_words(folder, ball.words, column) for column in SMALL.values())
    assert plain.words == unit.words == ball.words[2:]
    stored = np.load(folder / "vectors/glove.6B.3d.80k_plus_tasks.f16.npz")["vectors"]
    assert np.abs(plain.points - stored[::-1]).max() < 1e-5
    lengths = np.linalg.norm(plain.points, axis=1, keepdims=True)
    assert np.abs(unit.points - plain.points / lengths).max() < 1e-5


def test_draws_that_never_moved_leave_every_word(ball, monkeypatch):
    """Every other draw of made-up noise is zero."""

    def noise(streams, dimension, epsilon, steps):
        return np.where(np.arange(20)[:, None] % 2, [[0.9, 0.0]], 0.0)

    monkeypatch.setattr(columns, "metropolis_noise", noise)
    found = columns.in_ball_published(ball, 1.0, Effort(2, 1, 1, 20, 1))
    stayed = columns.laws.words_around(ball, np.arange(len(ball)), noise(0, 0, 0, 0)[1:2])[:, 0] == np.arange(len(ball))
    assert 0 < stayed.mean() < 0.5
    assert found["expected"] == pytest.approx([0.5 + stayed.mean() / 2] * 2)
    assert found["worst"] == [1, 1]


def test_the_exponential_in_the_ball_is_exact(ball, monkeypatch):
    monkeypatch.setattr(columns, "_AT_ONCE", 64)
    kept = np.diag(tv.Exponential(ball, epsilon=2.0, calibrated=True).transition_matrix())
    found = columns.in_ball_exponential(ball, 2.0)
    assert found["expected"] == pytest.approx([kept.mean()])
    assert found["worst"] == pytest.approx([kept.max()])


def test_the_command_adds_the_columns_where_there_is_data_and_says_what_it_left_out(
    folder, ball, monkeypatch, tmp_path
):
    monkeypatch.setattr(hyperbolic, "euclidean", partial(columns.euclidean, vocabulary=ball, columns=SMALL))
    small = partial(hyperbolic.table_4, vocabulary=tv.Vocabulary.hyperbolic(1000), words=4, runs=10, levels=1)
    monkeypatch.setattr(hyperbolic, "table_4", small)
    command, file = ["reproduce", "hyperbolic-table-4"], tmp_path / "table.json"
    alone = CliRunner().invoke(app, command)
    assert alone.exit_code == 0, alone.output
    assert "name their folder by --data" in " ".join(alone.output.split())
    done = CliRunner().invoke(app, [*command, "--data", str(folder), "--quick", "-o", str(file)])
    assert done.exit_code == 0, done.output
    assert "EUC-200 is left out" in " ".join(done.output.split())
    assert "EUC-300 is left out by --quick." in " ".join(done.output.split())
    found = json.loads(file.read_text())["euclidean"]
    assert found["words"] == {"ball": len(ball), "EUC-3": len(ball) - 2, "EUC-3, length 1": len(ball) - 2}
    (first, *_), cells = found["at the published worst case"], found["at the worst case here"]
    here = first["columns"]["EUC-3"]["here"]
    assert first["columns"]["EUC-3"]["paper"] == first["columns"]["EUC-3, length 1"]["paper"] == 70
    assert 0 < here["mean"] < 700
    assert here["times"] == pytest.approx(here["mean"] / 50)
    assert [row["epsilon"] for row in cells] == [*columns.EPSILONS] * 2
    refused = CliRunner().invoke(app, [*command, "--quick"])
    assert refused.exit_code != 0
    assert "omit --quick" in str(refused.exception)
