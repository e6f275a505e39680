"""Small data sets in the form of the real ones, and an encoder that knows words: a text is the mean of its words."""

from __future__ import annotations

import gzip
import hashlib
import lzma

import numpy as np
import pytest

from textveil.encoders import FunctionEncoder

DIMENSION = 16
# A topic is a set of words that no other has; the last words are in all texts.
TOPICS = {
    "0": ["engine", "wheel", "brake", "truck", "road", "tire", "speed", "driver", "fuel", "motor"],
    "1": ["goal", "team", "coach", "player", "match", "league", "score", "season", "ball", "game"],
    "2": ["doctor", "nurse", "drug", "patient", "disease", "blood", "heart", "pain", "surgery", "clinic"],
    "3": ["bank", "stock", "market", "profit", "price", "trade", "money", "share", "tax", "loan"],
}
COMMON = ["the", "of", "and", "to", "in", "is", "it", "was", "for", "on"]


def sentence(topic, rng, *, words=7):
    chosen = [*rng.choice(TOPICS[topic], words - 3), *rng.choice(COMMON, 3)]
    rng.shuffle(chosen)
    return " ".join(chosen)


def vectors_of(texts):
    found = []
    for text in texts:
        words = [_word(word) for word in text.lower().replace(".", " ").split()]
        total = np.sum(words or [np.ones(DIMENSION)], axis=0)
        found.append(total / np.linalg.norm(total))
    return np.array(found)


def _word(word):
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
    return np.random.default_rng(seed).normal(size=DIMENSION) * (0.3 if word in COMMON else 1.0)


@pytest.fixture(scope="session")
def encoder():
    return FunctionEncoder(vectors_of, dimension=DIMENSION, name="mean of words")


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory):
    """As for single tests: what a whole module shares keeps its vectors to itself, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEXTVEIL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The data sets of `sentences` and `figure_4`."""
    root, rng = tmp_path_factory.mktemp("data"), np.random.default_rng(0)
    (root / "cls").mkdir()
    (root / "sim").mkdir()
    topics = [str(topic) for topic in rng.integers(4, size=800)]
    news = [(topic, sentence(topic, rng), sentence(topic, rng)) for topic in topics]
    write(root / "cls/ag_news_test.tsv.gz", ("label", "title", "description"), news)
    pairs = []
    for number in range(400):
        first, score = str(rng.integers(4)), int(rng.integers(2))
        second = first if score else str((int(first) + 1) % 4)
        pairs.append(
            (("train", "dev", "test")[number % 3], str(5 * score), sentence(first, rng), sentence(second, rng))
        )
    write(root / "sim/stsb.tsv.gz", ("split", "score", "s1", "s2"), pairs)
    # The first test pair is in another set, too, where it must not be public.
    write(root / "sim/mrpc.tsv.gz", ("s1", "s2"), [pairs[2][2:], (sentence("0", rng), sentence("1", rng))])
    write(root / "cls/trec.tsv.gz", ("text",), [(sentence(str(number % 4), rng),) for number in range(200)])
    write(root / "cls/cr.tsv.gz", ("text",), [(sentence(str(number % 4), rng),) for number in range(100)] + [("",)])
    groups = ("rec.autos", "rec.sport.hockey", "sci.med", "misc.forsale")
    posts = [("train", groups[int(topic)], body(topic, rng, "\\n\\n")) for topic in topics[:400]]
    posts.append(("test", "sci.med", body("2", rng, "\\n\\n")))
    write(root / "cls/newsgroups20.tsv.xz", ("split", "group", "body"), posts)
    reviews = [(str(number % 2), body(str(number % 2), rng, "<br /><br />")) for number in range(400)]
    write(root / "cls/imdb.tsv.xz", ("label", "text"), reviews)
    return root


def body(topic, rng, between):
    """One sentence in four is of another topic."""
    count = int(rng.integers(1, 14))
    topics = [topic if rng.random() < 0.75 else str(rng.integers(4)) for _ in range(count)]
    return between.join(f"{sentence(one, rng)}." for one in topics)


def write(path, names, rows):
    opened = lzma.open if path.suffix == ".xz" else gzip.open
    with opened(path, "wt", encoding="utf-8", newline="\n") as file:
        file.writelines("\t".join(row) + "\n" for row in (names, *rows))
