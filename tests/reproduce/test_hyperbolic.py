"""The tables of Feyisetan, Diethe and Drake: flat as published, then no noise at all; what replaces their words."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

import textveil as tv
from textveil.cli import app
from textveil.measure.hypernyms import expected_replacements
from textveil.reproduce import hyperbolic
from textveil.spaces import Poincare

FALSE_ALARM = 1e-6


@pytest.fixture(scope="module")
def nouns(own_cache):
    return tv.Vocabulary.hyperbolic(2000)


@pytest.fixture(scope="module")
def kept(nouns):
    return hyperbolic.table_4(vocabulary=nouns, words=8, runs=100, levels=2).numbers


def test_the_published_table_is_flat_and_then_there_is_no_noise(kept):
    flat, last = kept["rows"][:3], kept["rows"][-1]
    for name in ("published", "published_100"):
        assert max(row[name]["mean_interval"][0] for row in flat) <= min(row[name]["mean_interval"][1] for row in flat)
        assert max(row[name]["mean"] for row in flat) < 0.05
    assert (last["published_100"]["mean"], last["published_100"]["most"]) == (1, 1)
    assert last["leaves_the_origin"]["100"] < 1e-10
    assert last["published"]["mean"] > 0.95


def test_the_published_noise_sends_every_word_to_the_centre(kept):
    for row in kept["rows"][:3]:
        assert row["published"]["commonest"][0] == "entity"
        assert row["published"]["commonest"][1] > 0.95
        assert row["published_100"]["commonest"][0] == "word0"


def test_epsilon_steers_the_exponential(kept):
    means = [row["exponential"]["mean"] for row in kept["rows"]]
    assert means[0] < 0.01
    assert np.all(np.diff(means[:4]) > 0)


def test_counts_are_those_of_the_law(nouns):
    """Pooled hits of words with about the same chance; fails for an epsilon of 1.3 times."""
    ids, runs = hyperbolic.alone(nouns, 5), 400

    def pvalue(epsilon):
        found = hyperbolic.counted(tv.Exponential(nouns, epsilon=epsilon), ids, runs)
        assert found["mean_interval"][0] <= found["mean"] <= found["mean_interval"][1]
        assert found["most_interval"][0] <= found["most"] <= found["most_interval"][1]
        return stats.binomtest(round(found["mean"] * runs * len(ids)), runs * len(ids), chance).pvalue

    chance = tv.Exponential(nouns, epsilon=0.7).transition_rows(ids)[np.arange(5), ids].mean()
    assert pvalue(0.7) > FALSE_ALARM
    assert pvalue(0.7 * 1.3) < FALSE_ALARM


def test_words_that_are_measured_share_their_point_with_no_other(nouns):
    ids = hyperbolic.alone(nouns, 50)
    same = (nouns.points[ids][:, None] == nouns.points[None]).all(axis=2).sum(axis=1)
    assert (len(np.unique(ids)), same.max()) == (50, 1)


def test_the_generated_tree_is_public_and_children_are_nearest_to_their_parents():
    tree, again = (hyperbolic.generated_tree(2, dimension=100) for _ in range(2))
    assert tree == again
    radii = 2 * np.arctanh(np.linalg.norm(tree.points, axis=1))
    assert radii == pytest.approx([0] + [2] * 10 + [4] * 100, abs=1e-9)
    aligned = tree.points[11:] @ tree.points[1:11].T
    assert (aligned.argmax(axis=1) == np.repeat(np.arange(10), 10)).all()


def test_the_repaired_noise_changes_words_no_more_than_the_bound():
    """Two words of the disc, so that the bound is far from 0; it is reached for noise that goes far."""
    two = tv.Vocabulary(["here", "there"], np.array([[0.0, 0.0], [0.6, 0.0]]), space=Poincare(2))
    bound = hyperbolic.change_bound(two, np.arange(2))
    assert bound == pytest.approx(np.arccos(0.6) / np.pi)
    noise = tv.HyperbolicLaplace(epsilon=1.001, dimension=2)
    changed = 1 - hyperbolic.counted(tv.NearestWord(two, noise), np.arange(2), 20_000)["mean"]
    assert stats.binomtest(round(changed * 40_000), 40_000, bound, alternative="greater").pvalue > FALSE_ALARM
    assert changed > 0.9 * bound


def test_in_the_shipped_vocabulary_the_repaired_noise_changes_nothing(kept):
    assert kept["repaired_changes_at_most"] < 1e-4
    assert [row["mean"] for row in kept["repaired"]] == [1, 1, 1]


def test_the_share_of_hypernyms_is_that_of_another_count(nouns):
    (strength,) = hyperbolic.table_1(vocabulary=nouns, shares=(0.2,), epsilons=()).numbers["strengths"]
    ohio, techno = strength["words"][:2]
    mechanism = tv.Exponential(nouns, epsilon=strength["epsilon"], calibrated=True)
    relations = [("ohio", upper) for upper in hyperbolic.HYPERNYMS["ohio"]]
    expected = expected_replacements(mechanism, relations, ["ohio"])
    assert (ohio["stays"], ohio["synonyms"]) == pytest.approx((expected.unchanged, expected.unchanged))
    assert ohio["general"] == pytest.approx(expected.general / (1 - ohio["stays"] - ohio["synonyms"]))
    assert ohio["general"] > 5 * ohio["general_by_chance"]
    assert ohio["likeliest"][0][0] == "location"
    assert techno["enters_as"] == "entity"
    assert "general" not in techno


def test_with_general_weights_most_of_what_replaces_ohio_is_a_hypernym(nouns):
    (general,) = hyperbolic.table_1(vocabulary=nouns, shares=(), epsilons=(2.0,)).numbers["general"]
    ohio, techno, lastfm = general["words"][:3]
    assert general["epsilon"] == 2.0
    assert ohio["general"] > 0.5
    assert ohio["likeliest"][0][0] == "location"
    assert ohio["stays"] < 0.3
    assert techno["enters_as"] == lastfm["enters_as"] == "entity"


def test_the_commands_print_tables_and_write_numbers(nouns, monkeypatch, tmp_path):
    small = partial(hyperbolic.table_4, vocabulary=nouns, words=4, runs=10, levels=1)
    monkeypatch.setattr(hyperbolic, "table_4", small)
    monkeypatch.setattr(
        hyperbolic, "table_1", partial(hyperbolic.table_1, vocabulary=nouns, shares=(0.2,), epsilons=(2,))
    )
    for name, file in (("hyperbolic-table-4", "table.png"), ("hyperbolic-table-1", "words.json")):
        done = CliRunner().invoke(app, ["reproduce", name, "-o", str(tmp_path / file)])
        assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.json", "table.png", "words.json"]
    assert (tmp_path / "table.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "table.json").read_text())["rows"][4]["paper"] == {"mean": 0.14067, "most": 0.96}
