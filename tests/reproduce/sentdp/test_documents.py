"""Documents: nine categories, no short or doubled ones, and parts that do not overlap."""

from __future__ import annotations

import numpy as np
import pytest

from textveil.reproduce.sentdp.documents import (
    CATEGORIES,
    MOST_SENTENCES,
    Document,
    Sizes,
    encoded,
    imdb,
    newsgroups,
    shuffled,
)
from textveil.reproduce.sentdp.files import rows_of


def test_the_groups_make_nine_categories():
    assert len(set(CATEGORIES.values())) == 9


def test_documents_are_read_sentence_by_sentence(folder):
    posts, reviews = newsgroups(folder), imdb(folder)
    assert (len(posts), len(reviews)) == (400, 400)
    (_, body), *_ = rows_of(folder, "cls/newsgroups20.tsv.xz", "split", "body")
    assert list(posts[0].sentences) == body.split(r"\n\n")
    assert {one.label for one in posts} == {"vehicles", "sports", "medicine", "for sale"}
    assert {one.label for one in reviews} == {"negative", "positive"}
    assert not any("br" in sentence.split() for one in reviews for sentence in one.sentences)


def test_the_order_depends_on_the_documents_alone():
    many = [Document("a", [f"{number}", "x"]) for number in range(50)]
    assert shuffled(many) == shuffled(many[::-1]) == shuffled(many + many)
    assert [one.sentences[0] for one in shuffled(many)] != [one.sentences[0] for one in many]
    long = Document("a", ["x"] * 100)
    assert [len(one.sentences) for one in shuffled([long, Document("a", ["alone"])])] == [MOST_SENTENCES]


@pytest.fixture(scope="module")
def data(folder, encoder, own_cache):
    return encoded("posts", newsgroups(folder), Sizes(100, 20, 30), encoder)


def test_parts_have_their_sizes_and_share_no_document(data):
    parts = (data.train, data.validation, data.test)
    assert [len(part) for part in parts] == [100, 20, 30]
    texts = [tuple(document) for part in parts for document in part.texts]
    assert len(set(texts)) == 150


def test_vectors_belong_to_their_documents(data, encoder):
    part = data.test
    for number in (0, 7, 29):
        assert part.documents[number] == pytest.approx(encoder.encode(list(part.texts[number])), abs=1e-6)
        assert part.means[number] == pytest.approx(part.documents[number].mean(axis=0), abs=1e-6)
    assert part.first(5).means == pytest.approx(part.means[:5])
    assert (part.moved(-part.vectors).means == -part.means).all()


def test_parts_shrink_together_if_there_are_too_few_documents(folder, encoder):
    small = encoded("posts", newsgroups(folder)[:60], Sizes(5000, 1000, 1000), encoder)
    sizes = [len(part) for part in (small.train, small.validation, small.test)]
    assert sum(sizes) == len(shuffled(newsgroups(folder)[:60]))
    assert np.array(sizes) / sum(sizes) == pytest.approx(np.array([5, 1, 1]) / 7, abs=0.05)
