from __future__ import annotations

import numpy as np
import pytest

from textveil.errors import InvalidInputError
from textveil.learn import glove
from textveil.learn.glove import Corpus, Recipe, train


def texts_about_topics(count=400, seed=0):
    """Texts of one of three topics; words 0 to 9 of a topic, and three words of all."""
    rng = np.random.default_rng(seed)
    return [
        [f"t{topic}w{i}" if i < 10 else f"all{i}" for i in rng.integers(0, 13, 12)]
        for topic in rng.integers(0, 3, count)
    ]


@pytest.fixture(scope="module")
def made():
    return train(texts_about_topics(), Recipe(dimension=8, epochs=25))


def test_words_of_a_topic_become_alike(made):
    units = made.vectors / np.linalg.norm(made.vectors, axis=1, keepdims=True)
    topics = np.array([word[:2] if word.startswith("t") else "" for word in made.words])
    alike = units @ units.T
    same = (topics[:, None] == topics) & (topics != "")[:, None] & ~np.eye(len(topics), dtype=bool)
    other = (topics[:, None] != topics) & (topics != "")[:, None] & (topics != "")[None]
    assert alike[same].mean() > alike[other].mean() + 0.2


def test_the_loss_falls_and_the_shape_is_as_asked(made):
    assert made.losses[-1] < made.losses[0] / 3
    assert made.vectors.shape == (33, 8)
    assert np.isfinite(made.vectors).all()


def test_the_same_texts_give_the_same_vectors_and_another_seed_others(made):
    again = train(texts_about_topics(), Recipe(dimension=8, epochs=25))
    assert (again.vectors == made.vectors).all()
    assert again.words == made.words
    other = train(texts_about_topics(), Recipe(dimension=8, epochs=25, seed=1))
    assert not (other.vectors == made.vectors).any()


def brute_force_counts(texts, words, window):
    counts = {}
    for text in texts:
        kept = [word for word in text if word in words]
        for i, first in enumerate(kept):
            for j, second in enumerate(kept):
                if 0 < abs(i - j) <= window:
                    counts[first, second] = counts.get((first, second), 0.0) + 1 / abs(i - j)
    return counts


@pytest.mark.parametrize("room", [1 << 25, 40])
def test_pairs_count_one_over_their_distance_within_a_text(monkeypatch, room):
    monkeypatch.setattr(glove, "_ROOM", room)
    texts = [["rare", *text] for text in texts_about_topics(20)]
    corpus = Corpus.of(texts, least=6, words=9)
    assert len(corpus.words) == 9
    found = corpus.counts(4)
    expected = brute_force_counts(texts, corpus.words, 4)
    pairs = {
        (corpus.words[i], corpus.words[j]): often
        for i, j, often in zip(found.first, found.second, found.often, strict=True)
    }
    assert pairs.keys() == expected.keys()
    assert all(pairs[pair] == pytest.approx(expected[pair], rel=1e-5) for pair in pairs)


def test_the_commonest_words_are_kept_in_order():
    corpus = Corpus.of([["b", "a", "b", "c", "a", "b"]], least=2)
    assert corpus.words == ["b", "a"]
    assert corpus.ids.tolist() == [0, 1, 0, 1, 0]


@pytest.mark.parametrize(
    "bad", [{"dimension": 0}, {"window": 0}, {"least": 0}, {"epochs": 0}, {"rate": 0.0}, {"words": 1}, {"seed": -1}]
)
def test_bad_recipes_are_refused(bad):
    with pytest.raises(InvalidInputError, match=next(iter(bad))):
        Recipe(**{"dimension": 5, **bad})


def test_too_little_text_is_refused():
    with pytest.raises(InvalidInputError, match="at least two words"):
        train([["a"]], Recipe(dimension=2))
    with pytest.raises(InvalidInputError, match="near each other"):
        train([["a"], ["b"]] * 9, Recipe(dimension=2))
