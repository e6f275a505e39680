"""Figure 4 on generated documents: ours keeps topics, shuffled labels don't, and all is written."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

from textveil.learn.recoder import Recipe
from textveil.randomness import RandomSource
from textveil.reproduce.sentdp.documents import Part, Sizes, encoded, newsgroups
from textveil.reproduce.sentdp.figure_4 import GUESS, NON_PRIVATE, STRONG, Plan, _best, figure_4, shuffled_labels
from textveil.reproduce.sentdp.methods import OURS, PUBLISHED, RESPONSES, SHUFFLED, TRUNCATED, WORDS, Method, methods

PLAN = Plan(Sizes(200, 60, 80), (1.0, STRONG), 2, 10, Recipe(clusters=8, epochs=3))


@pytest.fixture(scope="module")
def made(folder, encoder, own_cache):
    return figure_4(data=folder, encoder=encoder, plan=PLAN)


@pytest.fixture(scope="module")
def data(folder, encoder, own_cache):
    return encoded("posts", newsgroups(folder), PLAN.sizes, encoder)


@pytest.fixture(scope="module")
def ways(data, encoder):
    return methods(data, encoder, recipe=PLAN.recipe, words=None, word_documents=1)


@pytest.fixture(scope="module")
def found(made):
    return {(one["data"], one["method"], one["epsilon"], one["sentences"]): one["mean"] for one in made.records}


@pytest.mark.parametrize("data", ["20 Newsgroups", "IMDB"])
def test_ours_keeps_topics_and_shuffled_labels_fall_to_chance(made, found, data):
    """Shuffled labels are within six standard errors of a guess (a false alarm of 1e-9), labels as they are beyond."""
    guess = found[data, GUESS, None, "all"]
    assert guess == {"20 Newsgroups": 0.25, "IMDB": 0.5}[data]
    assert found[data, NON_PRIVATE, None, "all"] > 0.9
    assert found[data, OURS, STRONG, "all"] > 0.85
    assert found[data, RESPONSES, STRONG, "all"] > 0.85
    (shuffled,) = [one for one in made.records if (one["data"], one["method"]) == (data, SHUFFLED)]
    apart = 6 * shuffled["deviation"] / np.sqrt(shuffled["runs"])
    assert shuffled["deviation"] > 0
    assert shuffled["mean"] < guess + apart < found[data, OURS, STRONG, "all"]
    assert found[data, OURS, STRONG, "all"] > found[data, PUBLISHED, STRONG, "all"]


def test_every_method_has_every_epsilon_and_every_length(made, found):
    names = {one["method"] for one in made.records} - {GUESS, NON_PRIVATE}
    names.remove(SHUFFLED)
    assert {OURS, PUBLISHED, RESPONSES, TRUNCATED, WORDS} < names
    for name in names:
        for epsilon in PLAN.epsilons:
            assert ("IMDB", name, epsilon, "all") in found
        assert ("IMDB", name, STRONG, "8-11") in found
        assert ("IMDB", name, 1.0, "8-11") not in found
    whole = [one for one in made.records if one["method"] == OURS and one["epsilon"] == STRONG]
    by_length = [one["documents"] for one in whole if one["sentences"] != "all"]
    assert sum(by_length) == sum(one["documents"] for one in whole if one["sentences"] == "all")


def test_what_can_be_chosen_is_chosen_on_validation_documents(data, ways):
    def release(choice, epsilon, part, source):
        assert part is data.validation
        return choice * part.means

    reads = ways[OURS].classifier
    assert _best(Method("", reads, release, (-1.0, 1.0, 0.0)), 1.0, data.validation) == 1.0


def test_a_class_that_no_train_document_has_leaves_the_control_as_it_is(data, ways):
    train = replace(data.train, labels=data.train.labels + 1)
    (shuffled,) = shuffled_labels(replace(data, train=train), ways[OURS], ways[OURS].choices[0], shuffles=2)
    assert shuffled["runs"] == 2


def test_answers_have_no_bias(data, ways):
    """The mean over many copies is that without noise: within 6 standard errors in every coordinate."""
    one = data.test.first(1)
    copies = Part(one.texts * 2000, np.tile(one.vectors, (2000, 1)), one.offsets[1] * np.arange(2001), one.labels)
    noisy, exact = (ways[RESPONSES].release((20, 2), e, copies, RandomSource.seeded(0)) for e in (3.0, 60.0))
    error = np.sqrt((np.var(noisy, axis=0) + np.var(exact, axis=0)) / 2000)
    assert (np.abs(noisy.mean(axis=0) - exact.mean(axis=0)) < 6 * error).all()


def test_the_picture_and_all_numbers_are_written(made, tmp_path):
    pytest.importorskip("matplotlib")
    paths = made.save(tmp_path / "figure.png")
    assert [path.suffix for path in paths] == [".png", ".json", ".csv"]
    with paths[2].open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(made.records)
    assert json.loads(paths[1].read_text())["measured"] == made.records
    assert len(made.tables) == 5
    spread = "mean ± deviation of 2 trials"
    assert made.tables[0].title.endswith(f"{spread}, with shuffled labels of 20 orders of them and one release")
    assert made.tables[1].title.endswith(spread)
