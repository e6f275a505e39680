"""Private sentences: PublicResponse keeps topics, labels that are shuffled don't, and nothing private is public."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from textveil.encoders import FunctionEncoder
from textveil.errors import InvalidInputError
from textveil.reproduce.sentdp.files import rows_of
from textveil.reproduce.sentdp.sentences import DELTA, read, sentences

RELEASED, CLEAN = "AG News accuracy, released test", "AG News accuracy, clean test"


@pytest.fixture(scope="module")
def made(folder, encoder, own_cache):
    return sentences(data=folder, quick=True, encoder=encoder)


@pytest.fixture(scope="module")
def found(made):
    return {(one["mechanism"], one["epsilon"], one["measure"]): one["mean"] for one in made.records}


def test_public_response_keeps_the_topic_and_shuffled_labels_fall_to_chance(found, made):
    """50 test texts of four topics: at chance more than 60% are right less than once in 1e6 (binomial)."""
    for epsilon in (8.0, 12.0):
        for place in ("in domain", "out of domain"):
            for measure in (RELEASED, CLEAN):
                assert found[f"PublicResponse, {place}", epsilon, measure] > 0.8
        assert found["PublicResponse, in domain, shuffled labels", epsilon, RELEASED] < 0.6
        assert found["PublicResponse, in domain, shuffled labels", epsilon, CLEAN] < 0.6
        # A correlation by chance: 5 deviations of 1 / sqrt(pairs).
        similar = found["PublicResponse, in domain, shuffled labels", epsilon, "STS-B Spearman"]
        assert abs(similar) < 5 / np.sqrt(made.numbers["texts"]["pairs"])
    assert found["none: clean vectors", None, RELEASED] > 0.9


def test_similar_pairs_stay_similar(found):
    assert found["none: clean vectors", None, "STS-B Spearman"] > 0.5
    assert found["PublicResponse, in domain", 12.0, "STS-B Spearman"] > 0.4


def test_every_mechanism_is_measured_at_every_epsilon(found, made):
    names = {name for name, _, _ in found}
    assert {"PrivUnit", f"Gaussian, delta {DELTA:g}"} < names
    assert len(made.tables[0].rows) == 1 + 2 * 5
    assert all(0 <= value <= 1 for (_, _, measure), value in found.items() if measure != "STS-B Spearman")


def digests(texts):
    return np.array([list(hashlib.sha256(text.encode()).digest()) for text in texts], dtype=float)


def test_what_is_private_is_in_no_public_set(folder):
    told_apart = FunctionEncoder(digests, dimension=32, name="digest")
    sets = read(folder, told_apart)
    tested = [row for row in rows_of(folder, "sim/stsb.tsv.gz", "split", "s1") if row[0] == "test"]
    assert len(sets.pairs.scores) == len(tested)
    for private in (sets.pairs.first, sets.pairs.second):
        for public in (sets.pairs.public, sets.others):
            assert not {*map(bytes, private)} & {*map(bytes, public)}
    # A pair of tests, an empty text and doubles are left out of the other sets.
    assert len(sets.others) == 302


def test_a_folder_without_the_data_is_refused(tmp_path, encoder):
    with pytest.raises(InvalidInputError, match=r"no file cls/ag_news_test\.tsv\.gz"):
        sentences(data=tmp_path, encoder=encoder)


def test_the_picture_and_all_numbers_are_written(made, tmp_path):
    pytest.importorskip("matplotlib")
    assert [path.suffix for path in made.save(tmp_path / "bars.png")] == [".png", ".json", ".csv"]


def test_runs_repeat(made, folder, encoder, own_cache):
    assert sentences(data=folder, quick=True, encoder=encoder).records == made.records
