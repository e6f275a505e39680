"""Adept releases whole utterances: nothing passes but the vector, and the promise is that of its noise."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import textveil as tv
from textveil.mechanisms.adept import default_noise
from textveil.mechanisms.directions import Directions
from textveil.receipts import digest_of

TEXTS = ["Play some jazz music!", "", "will it rain in Ohio", "zzz 日本語 zzz", "call maria " * 500]


class Line:
    """A codec of two points: texts with "a" in them at one end of a line, all others at the other; it writes signs."""

    dimension, clip, digest = 3, 2.0, digest_of("line")

    def __init__(self, scale=1.0):
        self.scale = scale

    def encode(self, texts):
        return np.array([[self.scale * (1 if "a" in text else -1) * 2.0, 0, 0] for text in texts]).reshape(-1, 3)

    def decode(self, vectors):
        return ["plus" if vector[0] > 0 else "minus" for vector in vectors]


@pytest.fixture(scope="module")
def codec():
    return tv.AutoEncoder.default()


@pytest.fixture(scope="module")
def adept(codec):
    return tv.Adept(codec, epsilon=8.0)


def test_one_utterance_gives_one_and_a_list_a_list(adept):
    assert isinstance(adept.release(TEXTS[0]), str)
    assert len(adept.release(TEXTS)) == len(TEXTS)
    assert adept.release([]) == []
    assert (
        adept.release(TEXTS[0], source=tv.RandomSource.seeded(1))
        == adept.release(TEXTS[:1], source=tv.RandomSource.seeded(1)).pop()
    )


def test_the_promise_is_for_any_two_utterances(adept):
    promise = adept.guarantee
    assert (promise.epsilon, promise.delta, promise.slack) == (8.0, 0.0, 0.0)
    assert promise.unit is tv.Unit.UTTERANCE
    assert promise.relation == tv.Relation(pairs=tv.Pairs.ANY)
    assert promise.status is tv.Status.PROVED
    assert promise.reveals == ("the number of utterances",)
    assert promise.worst_case() == 8.0
    assert str(promise).startswith("Proved: for two utterances, any output is at most e^8 times as likely")


def test_the_default_noise_is_the_one_that_is_proved_in_floats(codec):
    for epsilon in (2.0, 8.0, 12.0):
        assert tv.Adept(codec, epsilon=epsilon).guarantee.status is tv.Status.PROVED
    assert "ideal arithmetic" in tv.Adept(codec, epsilon=30.0).guarantee.reason


def test_the_cap_of_the_default_noise_is_never_more_than_an_eighth_of_the_sphere(codec):
    wide, narrow = tv.Adept(codec, epsilon=1.0).mechanism, tv.Adept(codec, epsilon=8.0).mechanism
    assert wide.cap.mass == pytest.approx(1 / 8)
    assert wide.cap.mass < tv.PrivUnit(epsilon=1.0, dimension=4).cap.mass
    assert narrow.cap == tv.PrivUnit(epsilon=8.0, dimension=4).cap


@pytest.mark.parametrize(("epsilon", "best", "ours"), [(1.0, 0.238, 0.270), (2.0, 0.393, 0.461)])
def test_a_small_cap_is_more_often_right(epsilon, best, ours):
    """Shares of 70,000 vectors, within 5 deviations; the two are more than 10 apart."""
    ends = np.concatenate([np.eye(4), -np.eye(4)])[:7]
    items = np.repeat(ends, 10_000, axis=0)
    for noise, share in ((tv.PrivUnit(epsilon=epsilon, dimension=4), best), (default_noise(epsilon, 4, 1.0), ours)):
        released = noise.release(items, source=tv.RandomSource.seeded(2))
        right = np.mean(np.argmax(released @ ends.T, axis=1) == np.repeat(np.arange(7), 10_000))
        assert abs(right - share) < 5 * 0.5 / np.sqrt(70_000)


def test_the_published_noise_is_refuted(codec):
    noise = tv.ClippedLaplace(epsilon=8.0, clip=codec.clip, dimension=codec.dimension, variant="published")
    promise = tv.Adept(codec, noise).guarantee
    assert promise.status is tv.Status.REFUTED
    assert "two vectors reach a loss of 16" in promise.reason
    assert str(promise).startswith("REFUTED (of the vectors that utterances pass through")


@pytest.mark.parametrize(
    ("noise", "epsilon", "delta"),
    [
        (tv.ClippedLaplace(epsilon=3.0, clip=2.0, dimension=3), 3.0, 0.0),
        (tv.Gaussian(epsilon=3.0, delta=1e-6, sensitivity=4.0, dimension=3), 3.0, 1e-6),
        (tv.Laplace(epsilon=3.0, dimension=3, precision="exact"), 12.0, 0.0),
    ],
)
def test_other_noise_promises_what_it_does_for_vectors_two_clips_apart(noise, epsilon, delta):
    promise = tv.Adept(Line(), noise).guarantee
    assert promise.epsilon == pytest.approx(epsilon, rel=1e-3)
    assert promise.epsilon >= epsilon
    assert promise.delta == pytest.approx(delta, abs=1e-30)
    assert promise.relation.pairs is tv.Pairs.ANY
    assert promise.mu is None


def guessed(adept, count=20_000):
    """How often each end of the line comes out as "plus"."""
    source = tv.RandomSource.seeded(5)
    return [adept.release([text] * count, source=source).count("plus") / count for text in ("a", "b")]


def test_two_utterances_look_as_alike_as_epsilon_says():
    """The law of the sign is known: within 5 deviations at scale 1, and not of an epsilon of 1.3 times as much."""
    epsilon = 1.0
    mass = tv.Adept(Line(), epsilon=epsilon).mechanism.cap

    def chance(e):
        """P[the sign is right]: the cap lies within the half-space, and the rest is even."""
        odds = np.exp(e) - 1
        return (mass.mass * odds + 0.5) / (1 + mass.mass * odds)

    right, wrong = guessed(tv.Adept(Line(), epsilon=epsilon))
    deviation = 0.5 / np.sqrt(20_000)
    assert mass.gamma > 0
    assert abs(right - chance(epsilon)) < 5 * deviation
    assert abs(wrong - (1 - chance(epsilon))) < 5 * deviation
    assert abs(right - chance(1.3 * epsilon)) > 5 * deviation
    assert right / wrong < np.exp(epsilon)


def test_vectors_that_are_too_long_are_shortened():
    noise = tv.Gaussian(epsilon=1.0, delta=1e-6, sensitivity=4.0, dimension=3)
    assert np.abs(tv.Adept(Line(scale=100.0), noise).vectors(["a", "b"])).max() <= 2.0
    assert guessed(tv.Adept(Line(scale=100.0), noise), 2000) == guessed(tv.Adept(Line(), noise), 2000)


@pytest.mark.parametrize(
    "noise",
    [
        tv.Laplace(epsilon=1.0, dimension=15, step=0.5),
        tv.Gaussian(epsilon=1.0, delta=1e-5, sensitivity=2.0, dimension=15, step=0.5),
        tv.Laplace(epsilon=4.0, dimension=15),
    ],
)
def test_rounding_takes_no_vector_out_of_the_ball(noise):
    """The nearest points of the lattice to two ends of the ball may be farther apart than the ends."""
    end = np.full(15, (np.floor(0.25 / noise.lattice.step) + 0.5001) * noise.lattice.step)
    codec = Line()
    codec.dimension, codec.clip = 15, np.linalg.norm(end)
    codec.encode = lambda texts: np.array([end if "a" in text else -end for text in texts])
    as_given = noise.lattice.snap(codec.encode(["a", "b"])) * noise.lattice.step
    assert np.linalg.norm(np.subtract(*as_given)) > 2 * codec.clip
    adept = tv.Adept(codec, noise)
    rounded = noise.lattice.snap(adept.vectors(["a", "b"])) * noise.lattice.step
    assert np.linalg.norm(np.subtract(*rounded)) <= 2 * codec.clip
    assert (rounded == adept.vectors(["a", "b"])).all()


def test_the_empty_utterance_is_one_like_any_other(codec):
    """Its outputs come from the same set, and the ratio bound of epsilon holds for what comes out."""
    adept = tv.Adept(codec, epsilon=1.0)
    source = tv.RandomSource.seeded(6)
    lengths = [
        np.array([len(text.split()) for text in adept.release([said] * 4000, source=source)])
        for said in ("", "call maria on speaker")
    ]
    for most in range(2, 9):
        shares = [(length <= most).mean() for length in lengths]
        assert max(shares) <= np.e * (min(shares) + 6 * np.sqrt(0.25 / 4000))
    assert lengths[0].max() <= codec.table.length


def test_what_is_written_is_public_words_within_the_limit(adept, codec):
    words = set(codec.table.words)
    for text in adept.release(TEXTS * 20):
        assert set(text.split()) <= words
        assert len(text.split()) <= codec.table.length


def test_the_same_key_gives_the_same_utterances_and_others_differ(adept):
    key = b"k" * 32
    first = adept.release(TEXTS, source=tv.RandomSource.keyed(key))
    assert adept.release(TEXTS, source=tv.RandomSource.keyed(key)) == first
    assert adept.release(TEXTS[2:], source=tv.RandomSource.keyed(key, 2)) == first[2:]
    assert adept.release(TEXTS, source=tv.RandomSource.keyed(b"l" * 32)) != first


def test_a_spec_makes_the_same_mechanism(adept, codec):
    again = tv.from_spec(adept.spec(), objects={"codec": codec})
    assert again.spec() == adept.spec()
    source = [tv.RandomSource.seeded(1), tv.RandomSource.seeded(1)]
    assert again.release(TEXTS, source=source[0]) == adept.release(TEXTS, source=source[1])
    with pytest.raises(tv.CertificateError, match="codec is not the one"):
        tv.from_spec(adept.spec(), objects={"codec": tv.AutoEncoder.default(beam=4)})
    with pytest.raises(tv.InvalidInputError, match="needs codec"):
        tv.from_spec(adept.spec())
    copied = pickle.loads(pickle.dumps(adept))  # noqa: S301
    assert copied.spec() == adept.spec()


def test_a_receipt_holds_no_content(adept):
    receipt = adept.release_with_receipt(TEXTS).receipt
    assert receipt.items == len(TEXTS)
    assert "jazz" not in receipt.to_json()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "give either epsilon"),
        ({"epsilon": 1.0, "mechanism": tv.PrivUnit(epsilon=1.0, dimension=3, clip=2.0)}, "give either epsilon"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"mechanism": tv.PrivUnit(epsilon=1.0, dimension=4, clip=2.0)}, "dimension=3"),
        ({"mechanism": tv.PrivUnit(epsilon=1.0, dimension=3, clip=1.0)}, "clip=2"),
        ({"mechanism": tv.PrivUnit(epsilon=1.0, dimension=3, domain="sphere")}, "vectors of a ball"),
        ({"mechanism": tv.Gaussian(epsilon=1.0, delta=1e-6, sensitivity=1.0, dimension=3)}, "sensitivity of 4"),
        ({"mechanism": "privunit"}, "vectors of a ball"),
        ({"mechanism": tv.CoordinateLaplace(epsilon=1.0, dimension=3)}, "promises by l1 distance"),
        ({"mechanism": tv.Mahalanobis(np.diag([1, 1, 0.01]), epsilon=1.0)}, "promises by Mahalanobis distance"),
        ({"mechanism": tv.HyperbolicLaplace(epsilon=8.0, dimension=3)}, "promises by hyperbolic distance"),
        ({"mechanism": Directions(tv.Laplace(epsilon=1.0, dimension=3))}, "each divided by its length"),
        ({"mechanism": Directions(tv.PrivUnit(epsilon=1.0, dimension=3, clip=2.0))}, "a vector of zeros"),
        ({"mechanism": tv.Laplace(epsilon=1.0, dimension=3, normalise=True)}, "must have length 1"),
        ({"mechanism": tv.Laplace(epsilon=1.0, dimension=3, step=2.0**-60)}, "within 2.52 lattice steps"),
        (
            {"mechanism": tv.PrivEmb(epsilon=1.0, dimension=3, target=3, public=np.eye(3), certify="secants")},
            "PrivEmb promises by Euclidean distance",
        ),
    ],
)
def test_noise_that_does_not_fit_the_codec_is_refused(options, told):
    with pytest.raises(tv.InvalidInputError, match=told):
        tv.Adept(Line(), **options)


@pytest.mark.parametrize("clip", [0, -1.0, np.nan, np.inf, "1", None])
def test_a_codec_without_a_ball_is_refused(clip):
    codec = Line()
    codec.clip = clip
    for options in ({"epsilon": 1.0}, {"mechanism": tv.Laplace(epsilon=1.0, dimension=3)}):
        with pytest.raises(tv.InvalidInputError, match="the codec's clip must be"):
            tv.Adept(codec, **options)


def test_a_codec_that_changes_its_clip_changes_no_promise():
    codec = Line(scale=100.0)
    adept = tv.Adept(codec, tv.Laplace(epsilon=1.0, dimension=3))
    codec.clip = 200.0
    assert adept.guarantee.epsilon == adept.epsilon == 4.0
    assert np.linalg.norm(adept.vectors(["a", "b"]), axis=1).max() <= 2.0


@pytest.mark.parametrize("private", [None, 3, b"bytes", {"a": 1}, [None], ["secret", 4]])
def test_what_is_not_text_is_refused_without_quoting_it(adept, private):
    with pytest.raises(tv.InvalidInputError, match="utterances must be") as told:
        adept.release(private)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize("wrong", [np.ones((1, 2)), np.full((1, 3), np.nan), np.ones((1, 3), dtype=np.int64)])
def test_a_codec_that_gives_no_vectors_is_refused(wrong):
    codec = Line()
    codec.encode = lambda texts: wrong
    with pytest.raises(tv.InvalidInputError, match="3 finite numbers"):
        tv.Adept(codec, epsilon=1.0).release("secret")
