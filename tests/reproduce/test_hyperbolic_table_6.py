"""Table VI on generated texts: tasks are done well on originals, by chance with shuffled labels, between with noise."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from tests.reproduce.conftest import write
from typer.testing import CliRunner

from textveil.cli import app
from textveil.reproduce import hyperbolic_table_6 as table

COLUMNS = ("random", "HYP-100d eps=0.125", "HYP-100d eps=1", "HYP-100d eps=8", "fastText-BoV original")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, ball):
    """Two classes, each with words of its own; pairs of one class are alike."""
    rng, root = np.random.default_rng(7), tmp_path_factory.mktemp("tasks")
    half = len(ball) // 2
    topics = (ball.words[:half], ball.words[half:])

    def text(topic, words=8):
        return "the " + " ".join(rng.choice(topics[topic], words))

    def rows(count, *more):
        return [(label, text(label), *more) for label in rng.integers(2, size=count).tolist()]

    for name in ("mr", "cr", "mpqa"):
        write(root / f"cls/{name}.tsv.gz", ("label", "text"), rows(200))
    parts = [*rows(120, "train"), *rows(40, "dev"), *rows(80, "test")]
    write(root / "cls/sst5.tsv.gz", ("label", "text", "split"), parts)
    write(root / "cls/trec.tsv.gz", ("coarse", "text", "split"), [row for row in parts if row[2] != "dev"])
    pairs = [(a, b, ("train", "dev", "test")[place % 3]) for place, (a, b) in enumerate(rng.integers(2, size=(240, 2)))]
    texts = [(text(a), text(b), int(a == b), part) for a, b, part in pairs]
    write(root / "sim/sick.tsv.gz", ("s1", "s2", "entailment", "split"), texts)
    write(root / "sim/mrpc.tsv.gz", ("s1", "s2", "label", "split"), texts)
    rated = [("2014", "test", "x", *row[:3]) for row in texts]
    write(root / "sim/sts12_16.tsv.gz", ("year", "split", "source", "s1", "s2", "score"), rated)
    cells = [("2-hyperbolic", "Table V", "samples", "CR", "samples", 3775)]
    cells += [
        ("2-hyperbolic", "Table VI", "accuracy", task, column, "0.5/0.4" if task == "STS14" else "75.0")
        for task in table.TASKS
        for column in (*COLUMNS, "InferSent original")
    ]
    write(root / "reference/paper_tables.tsv.gz", ("paper", "table", "metric", "row", "column", "value"), cells)
    return root


@pytest.fixture(scope="module")
def vectors(ball):
    """Two directions of words, so that averages tell the classes."""
    from textveil.vocabulary import Vocabulary

    rng = np.random.default_rng(8)
    signs = np.where(np.arange(len(ball)) < len(ball) // 2, 1.0, -1.0)
    return Vocabulary(ball.words, signs[:, None] * np.ones(4) + rng.normal(size=(len(ball), 4)))


@pytest.fixture(scope="module")
def made(folder, ball, vectors, own_cache):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "REPEATS", 2)
        patch.setattr(table, "words_of", lambda *_: vectors)
        return table.table_6(data=folder, vocabulary=ball)


def score(made, task, way, epsilon=None, measure="accuracy"):
    wanted = (task, way, epsilon, measure)
    names = ("task", "way", "epsilon", "measure")
    (found,) = [r["mean"] for r in made.records if tuple(r[name] for name in names) == wanted]
    return found


def test_originals_are_told_apart_shuffled_labels_are_not_and_noise_is_between(made):
    for task in ("MR", "CR", "MPQA", "SST-5", "TREC-6"):
        assert score(made, task, "original") > 0.9
        assert score(made, task, "original, labels shuffled") < 0.65
        assert score(made, task, "any word") < 0.75
        assert score(made, task, "Exponential", 0.125) < score(made, task, "Exponential", 8.0)
    assert score(made, "STS14", "original", measure="pearson") > 0.5
    assert abs(score(made, "STS14", "original, labels shuffled", measure="pearson")) < 0.3


def test_numbers_of_the_paper_stand_beside_ours(made):
    by = {(r["task"], r["way"], r["epsilon"], r["measure"]): r["paper"] for r in made.records}
    assert by["MR", "original", None, "accuracy"] == 0.75
    assert by["STS14", "published", 1.0, "pearson"] == 0.5
    assert by["STS14", "published", 1.0, "spearman"] == 0.4
    assert by["MR", "no noise", None, "accuracy"] is None
    assert "(0.750)" in made.section
    for why in table.WHY.values():
        assert why in made.section


def test_shuffled_labels_stand_beside_the_commonest_answer_and_sizes_beside_the_papers(made):
    assert 0.5 <= score(made, "CR", table.COMMONEST) < 0.65
    assert score(made, "STS14", table.COMMONEST, measure="pearson") == 0
    assert "CR 200 (3,775), MPQA 200, " in made.section
    assert "in percent but STS14: InferSent MR 75.0, " in made.section


def test_an_order_is_told_only_where_it_passes_the_intervals_of_both():
    def record(way, mean, around=0.02, runs=3):
        return {"task": "CR", "measure": "accuracy", "way": way, "mean": mean, "around": around, "runs": runs}

    floor = record("any word", 0.6)
    assert table.order([floor, record("published", 0.62), record("Exponential", 0.7)]) == {"Exponential": ["CR"]}
    once = [record(way, mean, None, 1) for way, mean in (("any word", 0.1), ("published", 0.9), ("Exponential", 0.9))]
    assert table.order(once) == {}


def test_a_second_run_computes_nothing_again(made, folder, ball, vectors, own_cache, monkeypatch):
    monkeypatch.setenv("TEXTVEIL_CACHE", own_cache)
    monkeypatch.setattr(table, "REPEATS", 2)
    monkeypatch.setattr(table, "words_of", lambda *_: vectors)
    monkeypatch.setattr(table.Written, "scores", lambda *_: pytest.fail("computed again"))
    assert table.table_6(data=folder, vocabulary=ball).numbers == made.numbers


def test_quick_is_three_tasks_and_the_command_writes_numbers(folder, ball, vectors, monkeypatch, tmp_path):
    monkeypatch.setattr(table, "words_of", lambda *_: vectors)
    monkeypatch.setattr(table, "table_6", partial(table.table_6, vocabulary=ball))
    asked = ["reproduce", "hyperbolic-table-6", "--data", str(folder), "--quick", "-o", str(tmp_path / "table.json")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    measured = json.loads((tmp_path / "table.json").read_text())["measured"]
    assert {record["task"] for record in measured} == set(table.QUICK_TASKS)
    assert {record["runs"] for record in measured} == {1}
