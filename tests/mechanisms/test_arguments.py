"""What is no argument at all is refused by one clear error, before anything is computed or released."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.auditing.returned import returned_finding
from textveil.mechanisms.mechanism import from_spec
from textveil.noise.gaussian_curve import LEAST_DELTA, gaussian_delta, gaussian_scale
from textveil.randomness import RandomSource

SMALL = tv.Vocabulary([f"w{i}" for i in range(40)], np.random.default_rng(1).normal(size=(40, 4)))
EXPONENTIAL = tv.Exponential(SMALL, epsilon=1.0)
LAPLACE = tv.Laplace(epsilon=1.0, dimension=4)
NADP = tv.Nadp(SMALL, epsilon=1.0, delta=1e-5)

MAKERS = {
    "Exponential": lambda vocabulary: tv.Exponential(vocabulary, epsilon=1.0),
    "NearestWord": lambda vocabulary: tv.NearestWord(vocabulary, LAPLACE),
    "WordVector": lambda vocabulary: tv.WordVector(vocabulary, LAPLACE),
    "Jaccard": lambda vocabulary: tv.Jaccard(vocabulary, epsilon=1.0, delta=1e-5),
    "Nadp": lambda vocabulary: tv.Nadp(vocabulary, epsilon=1.0, delta=1e-5),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("what", [["w1", "w2"], "words.npz", None])
def test_what_is_no_vocabulary_is_refused(name, what):
    with pytest.raises(tv.InvalidInputError, match=r"vocabulary must be a Vocabulary .* tv\.Vocabulary\.default\(\)"):
        MAKERS[name](what)


RELEASES = {
    "a word": lambda source: EXPONENTIAL.release(["w1"], source=source),
    "numbers of words": lambda source: EXPONENTIAL.release_ids([1], source=source),
    "a vector": lambda source: LAPLACE.release(np.zeros(4), source=source),
    "a text": lambda source: tv.TextRewriter(EXPONENTIAL).release("w1 w2", source=source),
    "a text with spans": lambda source: tv.TextRewriter(EXPONENTIAL).release("w1 w2", spans=[(0, 2)], source=source),
    "statistics": lambda source: tv.statistics(tv.NearestWord(SMALL, LAPLACE), ["w1"], runs=10, source=source),
    "an audit": lambda source: returned_finding(NADP, NADP.guarantee, alpha=0.05, words=4, source=source),
}


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize(
    "source", [7, b"key", "", 0, False, np.random.default_rng(1)], ids=lambda value: type(value).__name__
)
def test_what_is_no_source_is_refused_also_if_it_is_empty(name, source):
    with pytest.raises(tv.InvalidInputError, match=r"source must be a RandomSource"):
        RELEASES[name](source)


@pytest.mark.parametrize("seed", [1.5, "one", None, -1, True])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(tv.InvalidInputError, match="seed must be"), pytest.warns(tv.NotPrivateWarning):
        RandomSource.seeded(seed)


@pytest.mark.parametrize("ids", [[-1], [40], [0.5], ["w1"]])
def test_numbers_of_words_that_the_vocabulary_lacks_are_refused(ids):
    for ask in (EXPONENTIAL.release_ids, EXPONENTIAL.transition_rows, NADP.transition_rows):
        with pytest.raises(tv.InvalidInputError, match="ids must be"):
            ask(ids)


def test_no_numbers_of_words_are_none():
    assert EXPONENTIAL.release_ids([]).shape == (0,)
    assert EXPONENTIAL.release_ids(np.zeros((0, 3), dtype=np.int64)).shape == (0, 3)


REFUSED = {
    "epsilon must be a number": lambda: tv.Laplace(epsilon=True, dimension=4),
    "dimension must be a number": lambda: tv.Laplace(epsilon=1.0, dimension=True),
    "threshold must be between 0 and 1": lambda: tv.Nadp(SMALL, epsilon=1.0, delta=1e-5, threshold=1.5),
    "vectors must all have the same number": lambda: LAPLACE.release([[1.0, 2.0, 3.0, 4.0], [1.0]]),
    r"a spec is what mechanism\.spec\(\) returned": lambda: from_spec("laplace"),
    "claim must be a Guarantee": lambda: tv.audit(LAPLACE, claim=1.0),
    "make must be a function": lambda: tv.calibrate(EXPONENTIAL, target="unchanged", at_most=0.1),
    "encoder must be one such as": lambda: tv.TextEmbedder(LAPLACE, encoder="minilm"),
    "codec must have encode, decode": lambda: tv.Adept(SMALL, epsilon=1.0),
    "words must be a list of words": lambda: tv.Vocabulary(5, np.eye(4)),
    "pass a list of words": lambda: EXPONENTIAL.release(5),
    "vectors must have no mask": lambda: LAPLACE.release(np.ma.masked_greater(np.ones((2, 4)), 5.0)),
    "mask, since what it hides would be released": lambda: LAPLACE.release(list(np.ma.masked_greater(np.eye(4), 0.5))),
    "ids must have no mask": lambda: EXPONENTIAL.release_ids(np.ma.masked_greater(np.arange(4), 2)),
    "a span is a pair of whole numbers": lambda: tv.TextRewriter(EXPONENTIAL).release("w1", spans=[(0.0, 2.0)]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_an_error_says_which_argument_is_wrong_and_what_to_give(message):
    with pytest.raises(tv.InvalidInputError, match=message):
        REFUSED[message]()


def test_spans_may_come_from_numpy():
    rewriter = tv.TextRewriter(EXPONENTIAL)
    start, end = np.array([3, 5])
    assert all(rewriter.release("w1 w2", spans=[(start, end)]).startswith("w1 ") for _ in range(20))


def test_a_delta_too_small_to_be_computed_is_refused_with_the_limit():
    with pytest.raises(tv.InvalidInputError, match=r"delta must be at least 1e-100 .* Laplace or PrivUnit"):
        tv.Gaussian(epsilon=1.0, delta=LEAST_DELTA / 10, sensitivity=1.0, dimension=4)
    assert gaussian_delta(1.0, 1 / gaussian_scale(1.0, LEAST_DELTA)) <= LEAST_DELTA
