"""The frontier of words: complete, the same for the same seed, kept, and true."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import textveil as tv
from textveil.guarantees import Status
from textveil.measure.compare import compare_words
from textveil.measure.compare import words as comparing
from textveil.measure.compare.frontier import Frontier, Point, Value
from textveil.measure.compare.noises import POINCARE
from textveil.measure.compare.reading import HALF, read
from textveil.measure.compare.setting import Setting, Sizes
from textveil.measure.compare.texts import Texts
from textveil.measure.compare.vector_ways import WAYS

SMALL = Sizes(words=60, repeats=2, pairs=20, rates=5)
LAWS = {"exponential", "exponential-half", "exponential-cut", "exponential-tight", "response"}
NOISES = {"laplace", "gaussian", "mahalanobis", "privunit", "clipped-published", "nadp-published"}


@pytest.fixture(scope="module")
def frontier(words, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEXTVEIL_CACHE", str(tmp_path_factory.mktemp("cache")))
        return compare_words(words, sizes=SMALL)


def test_every_mechanism_is_there_and_what_is_refuted_says_so(frontier):
    assert {way.key for way in frontier.ways} == LAWS | NOISES
    for way in frontier.ways:
        assert (way.status is Status.REFUTED) == way.key.endswith("published")
        assert bool(way.reason) == (way.status is Status.REFUTED)
        assert [point for point in frontier.points if point.way == way.key]


def test_values_lie_in_their_intervals_and_shares_between_0_and_1(frontier):
    for point in frontier.points:
        for key, found in point.values.items():
            assert found.low <= found.value <= found.high
            if key in ("naming", "frequent", "unchanged", "running", "bound"):
                assert 0 <= found.value <= 1 + 1e-9


def test_no_attack_passes_what_the_guarantee_allows(frontier):
    for point in frontier.points:
        if "bound" in point.values:
            assert point.values["naming"].low <= point.values["bound"].value * (1 + 1e-9)


def test_the_exponential_mechanism_needs_less_epsilon_than_noise_and_than_the_textbook_rate(frontier):
    ours, half, noise = (
        read(frontier, way, HALF, across="unchanged", of="epsilon").value
        for way in ("exponential", "exponential-half", "laplace")
    )
    assert ours < half
    assert ours < noise
    assert any(
        re.search(rf"^Laplace noise and .* {noise / ours:.1f} \([\d.]+ to [\d.]+\) times", it)
        for it in frontier.findings
    )


def test_every_mechanism_is_told_of(frontier):
    told = next(it for it in frontier.findings if "with the others" in it)
    for way in frontier.ways:
        assert (f"{way.label}{' (refuted)' if way.reason else ''}: " in told) == (
            way.key not in ("exponential", "laplace")
        )
    assert "NADP as published, nearest word (refuted): unbounded" in told


def test_the_names_of_the_documentation_are_those_of_the_code(frontier):
    page = (Path(__file__).parents[3] / "docs" / "comparing.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ") and line.count(" | ") == 3]
    named = {key: row[2] for row in rows for key in re.findall(r"`([a-z-]+)`", row[1]) if key != "--only"}
    assert {key for key, where in named.items() if "words" in where} == {way.key for way in frontier.ways}
    assert {key for key, where in named.items() if "vectors" in where} == {way.key for way, _ in WAYS}
    ball = {"exponential", "exponential-half", "exponential-cut", "response", *(it.way.key for it in POINCARE)}
    assert {key for key, where in named.items() if "ball" in where} == ball


def test_at_an_equal_epsilon_interpolation_passes_through_the_points(frontier):
    for epsilon, kept in frontier.line("laplace", "epsilon", "unchanged")[1:-1]:
        found = read(frontier, "laplace", epsilon, across="epsilon", of="unchanged")
        assert found.value == pytest.approx(max(kept, 1e-9), abs=1e-6)
    assert read(frontier, "laplace", 1e9, across="epsilon", of="unchanged") is None
    assert read(frontier, "response", 1.0, across="unchanged", of="epsilon") is None


def test_nothing_is_read_off_where_the_number_of_near_words_changes():
    def point(loss, kept, near):
        return Point("response", {"epsilon": Value.exact(loss), "unchanged": Value.exact(kept)}, near)

    points = [point(1.0, 0.1, 3), point(2.0, 0.3, 2), point(3.0, 0.4, 2), point(4.0, 0.6, 1)]
    found = Frontier("", {}, (), (), points)
    for share, epsilon in ((0.35, pytest.approx(2.47, abs=0.1)), (0.4, pytest.approx(3.0))):
        assert read(found, "response", share, across="unchanged", of="epsilon").value == epsilon
    assert read(found, "response", 0.5, across="unchanged", of="epsilon") is None
    assert read(found, "response", 1.5, across="epsilon", of="unchanged") is None


def test_the_same_seed_gives_the_same_points_and_another_seed_others(words):
    def run(seed):
        return compare_words(words, sizes=SMALL, seed=seed, again=True, only=["laplace"]).points

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_what_was_measured_is_kept_and_not_measured_again(words, monkeypatch):
    first = compare_words(words, sizes=SMALL, only=["gaussian", "response"])

    def measured(*given, **more):
        raise AssertionError("measured again")

    monkeypatch.setattr(comparing, "noise_points", measured)
    monkeypatch.setattr(comparing, "response_points", measured)
    assert compare_words(words, sizes=SMALL, only=["gaussian", "response"]).points == first.points
    with pytest.raises(AssertionError, match="measured again"):
        compare_words(words, sizes=SMALL, only=["gaussian"], again=True)


def test_a_run_that_was_interrupted_goes_on_where_it_was(words, monkeypatch):
    original, made = comparing.noise_points, []

    def interrupted(*given, **more):
        made.append(more["loss"])
        if len(made) == 4:
            raise KeyboardInterrupt
        return original(*given, **more)

    monkeypatch.setattr(comparing, "noise_points", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare_words(words, sizes=SMALL, only=["laplace"], seed=5)
    resumed = compare_words(words, sizes=SMALL, only=["laplace"], seed=5)
    assert len(made) == len(set(made)) + 1
    assert resumed.points == compare_words(words, sizes=SMALL, only=["laplace"], seed=5, again=True).points


def test_damaged_parts_are_measured_again(words, tmp_path):
    first = compare_words(words, sizes=SMALL, only=["response"])
    for file in (tmp_path / "cache" / "compare").iterdir():
        file.write_text("[[")
    assert compare_words(words, sizes=SMALL, only=["response"]).points == first.points


def test_an_unknown_mechanism_is_refused(words):
    with pytest.raises(
        tv.InvalidInputError, match=r"no 'magic' among words; there are: exponential \(brings exponential-half\),"
    ):
        compare_words(words, sizes=SMALL, only=["magic"])


@pytest.fixture(scope="module")
def texts(words):
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=300)
    # Words of even clusters for one class, of odd ones for the other.
    picks = 6 * rng.integers(20, size=(300, 4)) + 2 * rng.integers(3, size=(300, 4)) + labels[:, None]
    return Texts.of(
        [" ".join(f"word{i}" for i in row) for row in picks], [("odd" if label else "even") for label in labels], words
    )


def test_texts_are_worth_more_at_a_weaker_guarantee_and_shuffled_classes_nothing(words, texts):
    found = compare_words(words, sizes=SMALL, texts=texts, only=["exponential", "laplace"])
    assert {"untouched", "shuffled"} <= {way.key for way in found.ways}
    clean, shuffled = (found.line(way, "loss", "accuracy")[0][1] for way in ("untouched", "shuffled"))
    assert clean > 0.95
    # 300 texts: six standard deviations of a fair coin, a false alarm of 1e-9.
    assert abs(shuffled - 0.5) < 6 * math.sqrt(0.25 / 300)
    for way in ("exponential", "laplace"):
        line = found.line(way, "loss", "accuracy")
        assert line[0][1] < clean - 0.03
        assert line[-1][1] > clean - 0.03
    assert f"A classifier is right about {clean:.1%} (" in found.findings[-2]
    first = next(it for it in found.line("laplace", "loss", "accuracy") if it[1] >= 0.95 * clean)
    assert f"Laplace noise, nearest word: {first[0]:.3g}, where it is {first[1]:.1%} (" in found.findings[-1]


def test_a_mechanism_alone_is_told_of(words):
    (finding,) = compare_words(words, sizes=SMALL, only=["exponential-tight"]).findings
    assert finding.startswith("Proved loss at the radius where half of the words stay: exponential, tight weights: ")


def test_tight_weights_are_compared_in_1000_words_and_the_unknown_one():
    points = np.random.default_rng(0).standard_normal((1002, 4))
    table = tv.Vocabulary([f"word{i}" for i in range(1002)], points, unknown="word1001")
    for count, there in ((1000, True), (1001, False)):
        parts = comparing._parts(Setting.of(table.subset(count), SMALL), None)
        assert ("exponential-tight" in {part.way.key for part in parts}) == there


def test_too_few_texts_are_refused(words):
    with pytest.raises(tv.InvalidInputError, match="at least 50 texts of two classes"):
        Texts.of(["a"] * 60, ["x"] * 60, words)


def test_texts_are_means_of_their_words_and_empty_ones_the_unknown_word(words):
    texts = Texts.of(["word1 WORD2 zzz", ""] * 25, ["x", "y"] * 25, words)
    points = words.points.astype(float)
    means = texts.vectors(texts.words)
    assert means[0] == pytest.approx((points[1] + points[2] + points[0]) / 3)
    assert means[1] == pytest.approx(points[0])


def test_words_of_the_ball_are_compared_with_the_noise_of_the_ball(tree):
    found = compare_words(tree, sizes=SMALL, only=["exponential", "response", "hyperbolic"])
    assert [way.key for way in found.ways] == ["exponential", "exponential-half", "response", "hyperbolic"]
    with pytest.raises(
        tv.InvalidInputError,
        match=r"no 'laplace' among words of the Poincaré ball; there are: .* hyperbolic-published$",
    ):
        compare_words(tree, sizes=SMALL, only=["laplace"])
