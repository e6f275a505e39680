"""Checks around the noise: what they see, what they leave alone, and what they refuse. The museum has the rest."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import textveil as tv
from textveil.auditing.claim_file import ClaimFile
from textveil.auditing.report import Method, Verdict
from textveil.auditing.surroundings import check_surroundings
from textveil.auditing.surroundings import timing as clock
from textveil.auditing.surroundings.chances import Dice
from textveil.auditing.surroundings.subject import subject_of
from textveil.auditing.surroundings.support import lowest_places
from textveil.guarantees import Guarantee, Pairs, Relation, Unit, local_privacy, metric_privacy

ALPHA = 1e-6


@pytest.fixture(scope="module")
def words():
    points = np.random.default_rng(0).normal(size=(40, 3))
    return tv.Vocabulary([f"w{number}" for number in range(40)], points, unknown="w0")


def accused(subject, inputs, **more):
    found = check_surroundings(subject, inputs, alpha=ALPHA, source=tv.RandomSource.seeded(1), **more)
    assert all(finding.method is Method.CHECK and finding.verdict is not Verdict.HOLDS for finding in found)
    assert sum(finding.alpha for finding in found) <= ALPHA * (1 + 1e-9)
    assert all(finding.witness is not None for finding in found if finding.verdict is Verdict.VIOLATED)
    return {finding.name for finding in found if finding.verdict is Verdict.VIOLATED}


VECTORS = [np.array([0.3, -0.2]), np.array([0.1, 0.5]), np.array([-0.4, 0.0])]


@pytest.mark.parametrize(
    "mechanism",
    [
        tv.Laplace(epsilon=1.0, dimension=2),
        tv.Laplace(epsilon=1e6, dimension=2),
        tv.Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0, dimension=2),
        tv.CoordinateLaplace(epsilon=1.0, dimension=2),
        tv.PrivUnit(epsilon=2.0, dimension=2),
        tv.HyperbolicLaplace(epsilon=3.0, dimension=2),
    ],
    ids=lambda mechanism: f"{type(mechanism).__name__}-{mechanism.epsilon:g}",
)
def test_correct_mechanisms_for_vectors_are_not_accused(mechanism):
    assert accused(mechanism, VECTORS) == set()


def test_correct_mechanisms_for_words_and_texts_are_not_accused(words):
    for epsilon in (0.5, 20.0):
        exponential = tv.Exponential(words, epsilon=epsilon)
        assert accused(exponential, ["w1", "w2", "w3"]) == set()
        assert accused(tv.Nadp(words, epsilon=epsilon), ["w1", "w2", "w3"]) == set()
        assert accused(tv.TextRewriter(exponential), ["w1 w2", "w3 w4"]) == set()


@pytest.mark.parametrize("epsilon", [1.5, 3.0])
@pytest.mark.parametrize(
    "options",
    [{"case": "lower"}, {"case": "keep"}, {"consistent": True}, {"unknown_text": "Rare"}],
    ids=["lower", "case", "same", "text"],
)
def test_a_rewriter_is_not_accused_of_texts_that_its_promise_does_not_cover(epsilon, options):
    """The unknown word is nearest, and comes out as "[unknown]", whose brackets are layout when it goes in again."""
    points = [[0.0, 0.1], [0.0, 3.0], [0.0, -3.1], [3.0, 0.0], [-3.0, 0.0]]
    near = tv.Vocabulary(["paris", "rome", "oslo", "the", "a"], points)
    rewriter = tv.TextRewriter(tv.Exponential(near, epsilon=epsilon), **options)
    for seed in range(3):
        found = check_surroundings(
            rewriter, ["paris the", "rome the"], alpha=ALPHA, source=tv.RandomSource.seeded(seed)
        )
        assert {finding.name for finding in found if finding.verdict is Verdict.VIOLATED} == set()


def test_words_of_a_text_are_as_far_apart_as_the_rewriter_finds_them():
    """A capital does not make a word unknown, which may be near or far."""
    near = tv.Vocabulary(["rare", "paris", "rome"], [[0.0], [1.0], [3.0]], unknown="rare")
    rewriter = tv.TextRewriter(tv.Exponential(near, epsilon=1.0))
    dice = Dice(tv.RandomSource.seeded(1))
    checked = subject_of(rewriter, ["paris rome", "rome rome"], claim=None, distance=None, dice=dice)
    assert checked.promised("paris rome", "Rome rome").loss == checked.promised("paris rome", "rome rome").loss
    assert checked.promised("paris rome", "Paris rome").loss == 0
    assert checked.promised("paris rome", "[unknown] rome").loss == math.inf


@pytest.mark.parametrize(
    ("metric", "loss"),
    [("Euclidean distance", 5.0), ("l1 distance", 7.0), ("Euclidean distance divided by 100", math.nan)],
)
def test_words_are_as_far_apart_as_the_claim_counts(metric, loss):
    near = tv.Vocabulary(["rare", "paris", "rome"], [[0.0, 9.0], [0.0, 0.0], [3.0, 4.0]], unknown="rare")
    claim = metric_privacy(1.0, metric=metric, unit=Unit.WORD)
    dice = Dice(tv.RandomSource.seeded(1))
    words = ("paris", "rome")
    checked = subject_of(tv.Exponential(near, epsilon=1.0), words, claim=claim, distance=None, dice=dice)
    assert checked.promised(*words).loss == pytest.approx(loss, nan_ok=True)


@pytest.mark.parametrize(
    "claim",
    [
        metric_privacy(9.0, metric="Hamming distance of the characters", unit=Unit.WORD, reveals=("length",)),
        Guarantee(
            epsilon=9.0,
            unit=Unit.WORD,
            relation=Relation(pairs=Pairs.WITHIN, metric="Hamming distance", radius=1.0),
            reveals=("length",),
        ),
    ],
    ids=["metric", "within"],
)
def test_a_distance_of_all_strings_knows_every_word(claim):
    """Characters are kept with odds of e^9, so that most random strings come out as they went in, and may."""
    rng = np.random.default_rng(0)
    kept = 1 / (1 + 35 * math.exp(-9.0))

    def release(word):
        return "".join(letter if rng.random() < kept else "?" for letter in word)

    assert accused(release, ["rome", "tome"], claim=claim) == set()
    of_vectors = metric_privacy(9.0, metric="Euclidean distance of the words' vectors", unit=Unit.WORD)
    assert accused(release, ["rome", "tome"], claim=of_vectors) == {"words outside the vocabulary"}


def test_what_a_rewriter_reveals_must_be_named(words):
    rewriter = tv.TextRewriter(tv.Exponential(words, epsilon=0.5), case="keep", consistent=True)
    texts = ["w1 w2 w3", "w4 w5 w6"]
    assert accused(rewriter, texts) == set()
    silent = replace(rewriter.guarantee, reveals=(), relation=replace(rewriter.guarantee.relation, condition=""))
    assert accused(rewriter, texts, claim=silent) == {"which words are the same", "layout and length"}


def test_stop_words_that_are_kept_are_no_excuse_for_unknown_ones(words):
    rewriter = tv.TextRewriter(tv.Exponential(words, epsilon=0.5))
    claim = replace(rewriter.guarantee, reveals=("the stop words as they are", "capital letters"))
    passed = lambda text: " ".join(word if word.isalpha() else "w1" for word in text.split())  # noqa: E731
    assert "words outside the vocabulary" in accused(passed, ["w1 w2", "w3 w4"], claim=claim)


def test_documents_that_differ_in_several_sentences_are_promised_less():
    candidates = tv.Candidates(np.random.default_rng(0).normal(size=(6, 2)))
    documents = [np.zeros((3, 2)), np.ones((3, 2))]
    assert accused(tv.DeepCandidate(candidates, epsilon=1.0), documents) == set()


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e3])
def test_a_vector_that_comes_out_bare_is_seen_whatever_its_size(size):
    claim = metric_privacy(1.0, metric="Euclidean distance", unit=Unit.VECTOR)
    inputs = [size * x for x in VECTORS]
    assert "inputs that come out unchanged" in accused(lambda x: x, inputs, claim=claim)


def test_without_a_distance_vectors_are_not_accused_by_their_digits():
    claim = metric_privacy(1.0, metric="a distance of my own", unit=Unit.VECTOR)
    assert accused(lambda x: x, VECTORS, claim=claim) == set()
    distance = lambda x, y: float(np.abs(x - y).max())  # noqa: E731
    assert accused(lambda x: x, VECTORS, claim=claim, distance=distance)


def test_one_noise_for_all_coordinates_is_seen():
    claim = metric_privacy(1.0, metric="Euclidean distance", unit=Unit.VECTOR)
    rng = np.random.default_rng(0)
    assert "noise that is shared" in accused(lambda x: x + rng.laplace(), VECTORS, claim=claim)


def test_lists_of_words_show_which_are_the_same():
    rng = np.random.default_rng(0)
    claim = local_privacy(1.0, unit=Unit.WORD)

    def once_each(words):
        drawn = {word: str(rng.integers(50)) for word in sorted(set(words))}
        return [drawn[word] for word in words]

    assert accused(once_each, [["a", "b"], ["c", "d"]], claim=claim) == {"which words are the same"}
    fresh = lambda words: [str(rng.integers(50)) for _ in words]  # noqa: E731
    assert accused(fresh, [["a", "b"], ["c", "d"]], claim=claim) == set()


def test_the_clock_tells_inputs_apart_only_if_it_is_asked(monkeypatch):
    now = {"time": 0.0}
    rng = np.random.default_rng(0)
    monkeypatch.setattr(clock.time, "perf_counter", lambda: now["time"])

    def takes(seconds):
        def release(word):
            now["time"] += rng.exponential(0.001) + seconds[word]
            return "same"

        return release

    claim = local_privacy(1.0, unit=Unit.WORD)
    slow, even = takes({"a": 0.0, "b": 0.01}), takes({"a": 0.0, "b": 0.0})
    assert accused(slow, ["a", "b"], claim=claim) == set()
    assert accused(slow, ["a", "b"], timing=True, claim=claim) == {"time of a release"}
    assert accused(even, ["a", "b"], timing=True, claim=claim) == set()
    named = replace(claim, reveals=("the time that a release takes",))
    assert accused(slow, ["a", "b"], timing=True, claim=named) == set()


def test_a_claim_for_ideal_arithmetic_is_not_accused_of_its_digits():
    rng = np.random.default_rng(0)
    inputs = [np.array([1.0]), np.array([0.5])]
    claim = metric_privacy(1.0, metric="l1 distance", unit=Unit.VECTOR)
    ideal = replace(claim, status=tv.Status.CONDITIONAL, reason="ideal arithmetic")
    in_floats = lambda x: x + rng.laplace(size=1)  # noqa: E731
    assert accused(in_floats, inputs, claim=claim, digits=True) == {"last digits of released numbers"}
    assert accused(in_floats, inputs, claim=ideal, digits=True) == set()


def test_the_name_of_a_file_is_not_a_condition(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("ideal arithmetic.yaml", "a; ideal arithmetic; b.yaml"):
        path = tmp_path / name
        path.write_text("{unit: vector, relation: metric, metric: l1, epsilon: 1.0, inputs: {dimension: 1}}")
        claim = ClaimFile.load(path).claim
        inputs = [np.array([1.0]), np.array([0.5])]
        found = accused(lambda x: x + rng.laplace(size=1), inputs, claim=claim, digits=True)
        assert found == {"last digits of released numbers"}


def test_last_digits_of_a_function_are_reported_and_not_accused_unless_asked():
    rng = np.random.default_rng(0)
    claim = metric_privacy(1.0, metric="l1 distance", unit=Unit.VECTOR)
    found = check_surroundings(
        lambda x: x + rng.laplace(size=1),
        [np.array([1.0]), np.array([0.5])],
        claim=claim,
        source=tv.RandomSource.seeded(1),
    )
    (digits,) = (finding for finding in found if finding.name == "last digits of released numbers")
    assert digits.verdict is Verdict.NOT_CERTIFIABLE
    assert digits.witness.loss > digits.witness.claimed
    assert digits.bound == pytest.approx(digits.witness.loss / digits.witness.claimed)
    assert "digits=True" in digits.explanation


def test_lists_of_numbers_are_taken_for_vectors():
    claim = metric_privacy(1.0, metric="Euclidean distance", unit=Unit.VECTOR)
    found = accused(lambda x: [float(number) for number in x], VECTORS, claim=claim)
    assert {"inputs that come out unchanged", "noise that is shared"} <= found


def test_the_last_digit_is_found():
    assert lowest_places(np.array([[1.0, 0.75], [0.0, 2.0**-60], [3 * 2.0**40, 5e-324]])).tolist() == [-2, -60, -1074]
    assert lowest_places(np.array([[0.0, 0.0]]))[0] > 1024


def test_bad_requests_are_refused():
    claim = local_privacy(1.0, unit=Unit.WORD)
    with pytest.raises(tv.InvalidInputError, match="claim="):
        check_surroundings(str.upper, ["a", "b"])
    with pytest.raises(tv.InvalidInputError, match="at least 2 different public inputs"):
        check_surroundings(str.upper, ["a", "a"], claim=claim)
    with pytest.raises(tv.InvalidInputError, match="alpha"):
        check_surroundings(str.upper, ["a", "b"], claim=claim, alpha=0.0)
    with pytest.raises(tv.InvalidInputError, match="keyed source repeats"):
        check_surroundings(str.upper, ["a", "b"], claim=claim, source=tv.RandomSource.keyed(b"k" * 32))
