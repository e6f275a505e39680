from __future__ import annotations

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.measure.tasks import (
    TASKS,
    Averages,
    Classification,
    Lexicon,
    OddManOut,
    Similarity,
    of_table,
    read_task,
    tokens_of,
)
from textveil.measure.tasks.learning import folds
from textveil.measure.tasks.scores import area_under_roc, cosines, macro_f1, pearson, spearman
from textveil.measure.tasks.similarity import pooled, sampled

# The generated folder has not all sets of word pairs, and one year of STS.
MISSING = {"ws353", "rg65", "mc30", "rw2034", "mturk771", "sts12", "sts13", "sts15", "sts16"}
READ = [name for name in TASKS if name not in MISSING]


def main_measure(task):
    return next(iter(task.chance))


def embed_for(task, table):
    words, vectors = table
    lookup = of_table(words, vectors)
    return lookup if set(task.items) <= {*words, "both"} else Averages(words).of(vectors)


@pytest.mark.parametrize("name", READ)
def test_vectors_that_know_the_answers_score_well_and_shuffled_answers_fall_to_chance(name, folder, table):
    task = read_task(name, folder)
    embed, measure = embed_for(task, table), main_measure(task)
    chance = task.chance[measure]
    assert task.scores(embed)[measure] > chance + 0.25
    # The mean of 8 shuffles of n answers: 5 deviations of it are a false alarm below 1e-6.
    shuffled = np.mean([task.shuffled(number).scores(embed)[measure] for number in range(8)])
    assert abs(shuffled - chance) < 5 * 0.5 / np.sqrt(8 * 60)


@pytest.mark.parametrize("name", READ)
def test_noise_alone_scores_as_chance(name, folder, table):
    task = read_task(name, folder)
    words, vectors = table
    noise = np.random.default_rng(3).standard_normal(vectors.shape)
    scores = task.scores(embed_for(task, (words, noise)))
    assert scores[main_measure(task)] < task.chance[main_measure(task)] + 0.25


def test_an_unknown_task_names_the_known_ones(folder):
    with pytest.raises(InvalidInputError, match="no task 'nonsense'; known: simlex999"):
        read_task("nonsense", folder)
    with pytest.raises(InvalidInputError, match="no pairs of ws353"):
        read_task("ws353", folder)


def test_a_folder_without_the_file_says_so(tmp_path):
    with pytest.raises(InvalidInputError, match=r"no file cls/mr\.tsv\.gz"):
        read_task("mr", tmp_path)


def test_correlations_agree_with_scipy():
    from scipy.stats import pearsonr, spearmanr

    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 9, 200).astype(float), rng.standard_normal(200)
    b += a
    assert pearson(a, b) == pytest.approx(pearsonr(a, b).statistic, abs=1e-12)
    assert spearman(a, b) == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)
    assert pearson(a, np.ones(200)) == 0.0


def test_the_area_under_the_curve_and_macro_f1_agree_with_scikit_learn():
    from sklearn.metrics import f1_score, roc_auc_score

    rng = np.random.default_rng(6)
    margins, positive = rng.integers(0, 20, 300).astype(float), rng.integers(0, 2, 300) == 1
    assert area_under_roc(margins, positive) == pytest.approx(roc_auc_score(positive, margins), abs=1e-12)
    found, labels = rng.integers(0, 4, 300), rng.integers(0, 4, 300)
    assert macro_f1(found, labels) == pytest.approx(f1_score(labels, found, average="macro"), abs=1e-12)


def test_a_cosine_with_zero_is_zero():
    assert cosines(np.zeros((1, 2)), np.ones((1, 2))) == [0.0]


def test_pairs_with_unknown_words_are_left_out_and_counted():
    task = Similarity("some", ("a", "a", "b", "x"), ("b", "c", "c", "a"), (0.0, 1.0, 0.0, 9.0))
    embed = of_table(["a", "b", "c"], np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.2]]))
    scores = task.scores(embed)
    assert scores["known"] == 0.75
    assert scores["pearson"] > 0.95


def test_correlations_are_within_groups_where_ratings_are_not_comparable():
    angles = np.linspace(0.1, 1.4, 8)
    words = ["zero", *(f"w{i}" for i in range(8))]
    table = np.vstack([[1.0, 0.0], np.stack([np.cos(angles), np.sin(angles)], axis=1)])
    ratings = np.concatenate([np.cos(angles[:4]), np.cos(angles[4:]) + 10])
    whole = Similarity("s", ("zero",) * 8, tuple(words[1:]), tuple(ratings))
    grouped = Similarity("s", ("zero",) * 8, tuple(words[1:]), tuple(ratings), ("a",) * 4 + ("b",) * 4)
    embed = of_table(words, table)
    assert grouped.scores(embed)["spearman"] == pytest.approx(1.0)
    assert whole.scores(embed)["spearman"] < 0.5


def test_pooled_ratings_have_one_scale_and_a_sample_repeats():
    small, large = (Similarity(n, ("a", "b"), ("b", "c"), (s, s / 2)) for n, s in (("small", 1.0), ("large", 50.0)))
    both = pooled("both", [small, large])
    assert both.ratings == (1.0, 0.5, 1.0, 0.5)
    assert sampled(both, 2) == sampled(both, 2)
    assert len(sampled(both, 2).first) == 2


def test_the_odd_man_is_the_word_without_which_the_others_are_most_alike():
    rng = np.random.default_rng(7)
    vectors = rng.standard_normal((5, 6))
    words = tuple("abcde")
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    means = [
        np.mean([units[i] @ units[j] for i in range(5) for j in range(i) if odd not in (i, j)]) for odd in range(5)
    ]
    task = OddManOut("one", (words,), (int(np.argmax(means)),))
    assert task.scores(of_table(words, vectors)) == {"accuracy": 1.0, "of all": 1.0, "known": 1.0}
    assert task.scores(of_table(("a",), vectors)) == {"accuracy": 0.0, "of all": 0.0, "known": 0.0}
    with pytest.raises(InvalidInputError, match="at least 3"):
        OddManOut("short", (("a", "b"),), (0,))


def test_every_row_is_tested_once_and_never_learnt_from_before():
    order = np.random.default_rng(8).permutation(23)
    splits = folds(order, 5)
    assert sorted(np.concatenate([split.test for split in splits])) == list(range(23))
    for split in splits:
        assert sorted(np.concatenate(split)) == list(range(23))


def test_a_text_is_the_mean_of_its_known_words():
    assert tokens_of("I don't know, it's Bob's!") == ["i", "do", "n't", "know", ",", "it", "'s", "bob", "'s", "!"]
    averages = Averages(["good", "bad"])
    embed = averages.of(np.array([[2.0, 0.0], [0.0, 4.0]]))
    found = embed(["Good good, BAD", "nothing known"])
    assert found[0] == pytest.approx([4 / 3, 4 / 3])
    assert np.isnan(found[1]).all()
    assert averages.occurrences(["Good good, BAD", ""]).counts.tolist() == [3, 0]


def test_bad_columns_and_parts_are_refused():
    with pytest.raises(InvalidInputError, match="2 texts, 1 labels"):
        Classification("c", ("a", "b"), ("1",))
    with pytest.raises(InvalidInputError, match="train, dev, test"):
        Classification("c", ("a", "b"), ("1", "2"), ("train", "test"))
    lexicon = Lexicon("few", ("a", "b"), (True, False))
    with pytest.raises(InvalidInputError, match="at least 5 known words"):
        lexicon.scores(of_table(["a", "b"], np.eye(2)))


def test_classes_of_one_kind_are_answered_without_learning():
    task = Classification("same", tuple(f"t{i}" for i in range(10)), ("1",) * 10)
    scores = task.scores(lambda texts: np.ones((len(texts), 2)))
    assert scores["accuracy"] == 1.0
