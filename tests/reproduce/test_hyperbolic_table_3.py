"""Table III on generated texts: authors are found in originals, less in rewritten texts, not at all in any words."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

from textveil.cli import app
from textveil.reproduce import hyperbolic_laws as laws
from textveil.reproduce import hyperbolic_table_3 as table
from textveil.reproduce.authorship_problems import PROBLEMS, read_problem
from textveil.reproduce.repeats import interval, public_source
from textveil.spaces import Poincare


@pytest.fixture(scope="module")
def made(pan, ball, own_cache):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "REPEATS", 2)
        return table.table_3(data=pan, vocabulary=ball, least_words=100)


def mean(made, problem, way, epsilon, attacker):
    wanted = (problem, way, epsilon, attacker)
    names = ("problem", "way", "epsilon", "attacker knows")
    (found,) = [r["mean"] for r in made.records if tuple(r[name] for name in names) == wanted]
    return found


def test_authors_are_found_in_original_texts_and_lost_with_epsilon(made):
    for problem in ("PAN11 small", "PAN11 large"):
        assert mean(made, problem, "original", None, "clean") >= 24
        assert mean(made, problem, "no noise", None, "clean") >= 24
        for attacker in ("clean", "rewritten"):
            counts = [mean(made, problem, "Exponential", epsilon, attacker) for epsilon in table.EPSILONS]
            assert counts[0] <= 20 <= counts[-1]
            assert mean(made, problem, "any word", None, attacker) <= 20


def test_known_texts_with_shuffled_authors_tell_nothing(made):
    """Ten of 30 by chance; within 5 deviations (2.6 for 30 guesses of a third)."""
    for problem in ("PAN11 small", "PAN11 large"):
        assert mean(made, problem, "original, labels shuffled", None, "clean") <= 10 + 5 * 2.6
        assert mean(made, problem, "original", None, "clean") > 10 + 5 * 2.6


def test_nothing_measured_here_is_called_published(made):
    assert "published" not in made.section.replace("which is not published", "")


def test_nobody_is_right_about_authors_who_are_not_known(made):
    assert mean(made, "PAN12 D", "original", None, "clean") == 3
    assert {record["of"] for record in made.records if record["problem"] == "PAN12 D"} == {4}


def test_a_second_run_computes_nothing_again(pan, ball, own_cache, made, monkeypatch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "REPEATS", 2)
        patch.setattr(table.Attacked, "right", lambda *_: pytest.fail("computed again"))
        monkeypatch.setenv("TEXTVEIL_CACHE", own_cache)
        assert table.table_3(data=pan, vocabulary=ball, least_words=100).numbers == made.numbers


def test_the_section_has_every_number_beside_the_papers_and_the_reasons(made):
    assert made.section.count("(1)") == 2 * 6 * 9
    for way, why in table.shown.WHY.items():
        assert f"*{laws.shown_as(way)}*: {why}" in made.section
    assert "Without rewriting: PAN11 small" in made.section


def test_the_section_says_how_many_runs_the_cells_have_and_what_is_shared(made):
    assert "over 2 runs, with its 95% interval" in made.section
    assert "8 draws of the noise at each epsilon serve all words, texts and runs" in made.section
    assert "| paper's mechanism, identity proposals | 8 |" in made.section
    assert "common random numbers" in made.section
    fewer = [{**r, "runs": 1} if r["problem"] == "PAN12 I" and r["way"] == "published" else r for r in made.records]
    assert "over 2 (so far PAN12 I 1 to 2) runs" in table.shown.section(fewer, 9)


def test_runs_that_are_all_equal_have_no_interval():
    assert interval([5.0, 5.0, 5.0])["around"] is None
    assert interval([5.0])["around"] is None
    assert interval([4.0, 6.0])["around"] == pytest.approx(12.706, rel=1e-3)


def test_no_text_of_the_data_is_in_any_output(made, pan):
    written = json.dumps(made.numbers) + made.section
    for name in PROBLEMS:
        for _, text in read_problem(pan, name).known:
            assert not any(word in written for word in text.split() if len(word) > 5)


def test_quick_takes_fewer_texts_and_the_command_writes_everything(pan, ball, monkeypatch, tmp_path):
    monkeypatch.setattr(table, "QUICK_TEXTS", 6)
    monkeypatch.setattr(table, "table_3", partial(table.table_3, vocabulary=ball, least_words=100))
    asked = ["reproduce", "hyperbolic-table-3", "--data", str(pan), "--quick", "-o", str(tmp_path / "table.png")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.csv", "table.json", "table.png"]
    measured = json.loads((tmp_path / "table.json").read_text())["measured"]
    assert {record["of"] for record in measured if record["problem"] == "PAN11 small"} == {6}
    assert {record["problem"] for record in measured} == set(table.QUICK_PROBLEMS)


def test_published_words_are_those_nearest_to_the_moved_points(ball):
    """In the plane the exact search is quick."""
    law = laws.published(ball, 0.5, public_source("chain"))
    noise = laws.metropolis_noise(public_source("chain").streams(b"chain", np.arange(laws.DRAWS)), 2, 0.5, laws.STEPS)
    for number in (0, 100, 200):
        moved = ball.points[number] + noise
        norms = np.linalg.norm(moved, axis=1, keepdims=True)
        possible = {int(one) for one in ball.nearest(np.where(norms >= 1, moved / norms * (1 - 1e-4), moved))}
        drawn = law(np.full(200, number), public_source("draws"))
        assert set(drawn.tolist()) == possible


def test_words_without_noise_stay_and_any_word_is_any(ball):
    ids = np.repeat(np.arange(len(ball)), 20)
    assert (laws.unchanged(ball)(ids, public_source()) == ids).all()
    drawn = laws.any_word(ball)(ids, public_source())
    assert len(np.unique(drawn)) > 0.95 * len(ball)
    assert (drawn == ids).mean() < 0.02


def test_stop_words_and_layout_stay_and_all_else_is_rewritten(ball):
    texts = [f"The {ball.words[3]}, and\n({ball.words[4]}) it's 12:30!", "", "only zebras"]
    written = laws.Texts(texts, ball).rewritten(lambda ids, source: ids * 0, public_source())
    first = ball.words[0]
    assert written == [f"The {first}, and\n({first}) it's {first}!", "", f"only {first}"]


def test_the_words_of_hearst_patterns_are_trained_once(tmp_path, monkeypatch):
    from tests.reproduce.conftest import write

    pairs = [(f"thing{a}", f"kind{b}", 3) for a in range(12) for b in range(4)]
    pairs += [("rare", "kind0", 3), ("thing0", "strange", 9), ("thing0", "kind9", 1)]
    write(tmp_path / laws.HEARST, ("hyponym", "hypernym", "count"), pairs)
    words = sorted({word for row in pairs for word in row[:2]} - {"strange"})
    write(tmp_path / laws.GLOVE, (words[0],), [(word,) for word in words[1:]])
    recipe = laws.Recipe(dimension=3, epochs=20)
    made = laws.hearst_words(tmp_path, recipe=recipe)
    assert sorted(made.words) == sorted({*(f"thing{a}" for a in range(12)), *(f"kind{b}" for b in range(4))})
    assert isinstance(made.space, Poincare)
    monkeypatch.setattr(laws, "train", lambda *_, **__: pytest.fail("trained again"))
    assert laws.hearst_words(tmp_path, recipe=recipe) == made
