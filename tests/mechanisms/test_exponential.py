"""The exponential mechanism keeps epsilon x distance for every pair, and uses nearly all of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import textveil as tv
from textveil.cache import cache_folder
from textveil.mechanisms.exponential import certificates
from textveil.mechanisms.exponential.calibration import calibrate
from textveil.mechanisms.exponential.law import uncalibrated
from textveil.mechanisms.exponential.rows import Rows
from textveil.vocabulary.pairs import steepest_pairs

LINE = tv.Vocabulary(list("abcd"), np.array([[0.0], [1.0], [3.0], [7.0]]), unknown="a")


def distance_matrix(vocabulary, radius=math.inf):
    points = vocabulary.block(0, len(vocabulary))
    return np.minimum(np.linalg.norm(points[:, None] - points[None], axis=2), radius)


def worst_rate(matrix, distances):
    """The largest |log ratio| / distance over all inputs and outputs; by brute force."""
    logs = np.log(matrix)
    ratios = np.abs(logs[:, None, :] - logs[None, :, :]).max(axis=2)
    apart = distances > 0
    assert np.abs(ratios[~apart]).max() < 1e-12
    return float((ratios[apart] / distances[apart]).max())


def exact_loss(rate, distances):
    normalisers = np.log(np.exp(-rate * distances).sum(axis=1))
    apart = distances > 0
    return rate + (np.abs(normalisers[:, None] - normalisers[None])[apart] / distances[apart]).max()


# -- golden values, SPEC 10.5 -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rate", "loss"), [(0.25, 0.3316858653512198), (0.5, 0.5877497978417445), (1.0, 1.112035560626784)]
)
def test_golden_losses_of_the_line(rate, loss):
    assert exact_loss(rate, distance_matrix(LINE)) == pytest.approx(loss, abs=1e-10)
    mechanism = tv.Exponential(LINE, epsilon=loss)
    assert mechanism.law.rate == pytest.approx(rate, abs=1e-8)


def test_golden_calibrated_rate():
    assert tv.Exponential(LINE, epsilon=1.0).law.rate == pytest.approx(0.8880853314273848, abs=1e-8)


def test_golden_row():
    mechanism = tv.Exponential(LINE, epsilon=0.5877497978417445)
    row = mechanism.transition_rows(np.array([0]))[0]
    assert row == pytest.approx([0.5376754, 0.32611661, 0.1199716, 0.01623639], abs=1e-7)


# -- the guarantee ------------------------------------------------------------------------------------------


@st.composite
def vocabularies(draw):
    dimension = draw(st.integers(1, 6))
    size = draw(st.integers(2, 25))
    seed = draw(st.integers(0, 2**32))
    scale = draw(st.sampled_from([0.05, 1.0, 4.0]))
    rng = np.random.default_rng(seed)
    vectors = scale * rng.normal(size=(size, dimension))
    if draw(st.booleans()):
        vectors[-1] = vectors[0]
    if draw(st.booleans()):
        vectors = np.round(vectors)
    return tv.Vocabulary([f"w{i}" for i in range(size)], vectors, unknown="w0")


@given(vocabularies(), st.floats(0.05, 8.0), st.sampled_from([None, 0.7, 3.0]))
@settings(max_examples=150, deadline=None)
def test_every_entry_keeps_epsilon_and_the_law_uses_nearly_all_of_it(vocabulary, epsilon, radius):
    mechanism = tv.Exponential(vocabulary, epsilon=epsilon, radius=radius, calibrated=True)
    cut = mechanism.guarantee.relation.radius or math.inf
    distances = distance_matrix(vocabulary, cut)
    if not distances.any():
        return
    matrix = mechanism.transition_matrix()
    assert matrix.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    used = worst_rate(matrix, distances)
    assert used <= epsilon * (1 + 1e-6)
    assert used >= 0.98 * epsilon


@given(vocabularies(), st.floats(0.05, 8.0), st.sampled_from([None, 0.7, 3.0]))
@settings(max_examples=50, deadline=None)
def test_without_calibration_epsilon_is_kept_too(vocabulary, epsilon, radius):
    mechanism = tv.Exponential(vocabulary, epsilon=epsilon, radius=radius, calibrated=False)
    distances = distance_matrix(vocabulary, mechanism.guarantee.relation.radius or math.inf)
    if distances.any():
        assert worst_rate(mechanism.transition_matrix(), distances) <= epsilon * (1 + 1e-6)
    assert not mechanism.law.certified


def test_a_planted_worst_pair_among_20_000_words_is_found():
    """Two words close together, one of them beside a crowd: no other pair comes near their slope."""
    rng = np.random.default_rng(5)
    vectors = 40 * rng.normal(size=(20_000, 8))
    vectors[:2000] = vectors[0] + 1.0 * rng.normal(size=(2000, 8))
    pair = (17_001, 4_242)
    vectors[pair[0]] = vectors[0] + np.array([5.0, 0, 0, 0, 0, 0, 0, 0])
    vectors[pair[1]] = vectors[pair[0]] + np.array([0.25, 0, 0, 0, 0, 0, 0, 0])
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(len(vectors))], vectors, unknown="w0")
    from textveil.vocabulary.pairs import log_normalisers, steepest_pairs

    logs = log_normalisers(vocabulary, np.array([1.0]), radius=math.inf)
    logs[0] = 0.0
    logs[0, pair[0]] = 0.2
    logs[0, pair[1]] = -0.2
    worst = steepest_pairs(vocabulary, logs, radius=math.inf, slack=0.0)
    assert {int(worst.first[0]), int(worst.second[0])} == set(pair)
    assert worst.slope[0] == pytest.approx(0.4 / 0.25, rel=1e-5)


def test_words_that_have_the_same_point_have_the_same_law():
    vocabulary = tv.Vocabulary(["a", "b", "c"], np.array([[0.0], [0.0], [1.0]]), unknown="a")
    matrix = tv.Exponential(vocabulary, epsilon=1.0).transition_matrix()
    assert (matrix[0] == matrix[1]).all()


@pytest.mark.parametrize("more", [{}, {"radius": 2.0}, {"weights": "tight"}, {"weights": np.linspace(0.1, 1.0, 200)}])
def test_words_that_have_the_same_point_have_the_same_integers(more):
    points = np.random.default_rng(0).normal(size=(200, 5))
    points[100] = points[199] = points[1]
    vocabulary = tv.Vocabulary([f"w{i}" for i in range(200)], points)
    for epsilon in (0.5, 2.0, 8.0):
        rows = tv.Exponential(vocabulary, epsilon=epsilon, **more)._rows._rows(np.array([1, 100, 199]))
        one, *others = (weights_of(row, 200) for row in rows)
        assert others == [one, one]


def weights_of(row, count):
    """The integer weight of every word; what all have of the rest is one number, or shared by their weights."""
    weights, before = [int(row.share[0]) << 64 | int(row.share[1])] * count, 0
    for word, high, low in zip(row.ids, row.high, row.low, strict=True):
        weights[word] += (int(high) << 64 | int(low)) - before
        before = int(high) << 64 | int(low)
    weights[row.word] += int(row.own[0]) << 64 | int(row.own[1])
    return weights


def test_the_loss_of_a_truncated_law_stops_growing():
    mechanism = tv.Exponential(LINE, epsilon=1.0, radius=2.0)
    assert mechanism.guarantee.loss(100.0) == 2.0
    assert mechanism.guarantee.loss(1.0) == 1.0


def test_where_weights_would_underflow_the_law_is_truncated_and_says_so():
    mechanism = tv.Exponential(LINE, epsilon=20.0)
    assert 37 / 20 <= mechanism.guarantee.relation.radius <= 44 / 20
    distances = distance_matrix(LINE, mechanism.guarantee.relation.radius)
    assert worst_rate(mechanism.transition_matrix(), distances) <= 20.0 * (1 + 1e-6)
    assert (mechanism.transition_matrix() > 0).all()


def test_the_smallest_epsilon_and_numpy_numbers_are_taken():
    assert tv.Exponential(LINE, epsilon=5e-324).law.rate == 0.0
    assert tv.Exponential(LINE, epsilon=1.0, radius=np.float32(0.5)).release_with_receipt(["a"]).receipt.to_json()


def test_a_tiny_epsilon_gives_a_uniform_law_without_calibration():
    matrix = tv.Exponential(LINE, epsilon=1e-9, calibrated=False).transition_matrix()
    assert (matrix == 0.25).all()


# -- sampling -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [None, 2.0])
def test_released_words_follow_the_law(clustered, radius):
    """G-tests over 8 words at 1e-8 each; the same test must fail against a rate x1.3."""
    mechanism = tv.Exponential(clustered, epsilon=1.5, radius=radius)
    wrong = tv.Exponential(clustered, epsilon=1.5 * 1.3, radius=radius)
    ids = np.repeat(np.arange(0, 600, 75), 40_000)
    drawn = mechanism.release_ids(ids, source=tv.RandomSource.seeded(3))
    failures = 0
    for word in range(0, 600, 75):
        counts = np.bincount(drawn[ids == word], minlength=600)
        for law, right in [(mechanism, True), (wrong, False)]:
            expected = law.transition_rows(np.array([word]))[0] * counts.sum()
            common = expected > 5
            seen = np.append(counts[common], counts[~common].sum())
            hoped = np.append(expected[common], expected[~common].sum())
            p_value = stats.chisquare(seen[hoped > 0], hoped[hoped > 0]).pvalue
            if right:
                assert p_value > 1e-8
            else:
                failures += p_value < 1e-8
    assert failures == 8


def test_unknown_words_enter_as_the_unknown_word(clustered):
    mechanism = tv.Exponential(clustered, epsilon=0.5)
    released = mechanism.release(["jane.doe@example.org"] * 2000, source=tv.RandomSource.seeded(1))
    assert all(word in clustered for word in released)
    known = mechanism.release(["w0"] * 2000, source=tv.RandomSource.seeded(1))
    assert released == known


def test_a_fixed_key_repeats_and_a_flipped_bit_changes_the_release(clustered):
    mechanism = tv.Exponential(clustered, epsilon=0.3)
    words = [f"w{i}" for i in range(200)]
    key = bytes(32)
    first = mechanism.release(words, source=tv.RandomSource.keyed(key, 5))
    assert first == mechanism.release(words, source=tv.RandomSource.keyed(key, 5))
    assert first[50:] == mechanism.release(words[50:], source=tv.RandomSource.keyed(key, 55))
    other = mechanism.release(words, source=tv.RandomSource.keyed(b"\x01" + key[1:], 5))
    assert sum(a == b for a, b in zip(first, other, strict=True)) < 20
    assert mechanism.release(words) != mechanism.release(words)


def test_two_laws_never_share_noise(clustered):
    key = tv.RandomSource.keyed(bytes(32))
    words = np.zeros(4000, dtype=np.int64)
    a = tv.Exponential(clustered, epsilon=1e-6).release_ids(words, source=key)
    b = tv.Exponential(clustered, epsilon=1.1e-6).release_ids(words, source=key)
    assert (a == b).mean() < 0.02


def test_memory_for_rows_is_bounded_and_changes_no_word(clustered):
    mechanism = tv.Exponential(clustered, epsilon=1.0)
    ids = np.random.default_rng(0).integers(0, 600, size=5000)
    whole = mechanism.release_ids(ids, source=tv.RandomSource.keyed(bytes(32)))
    small = Rows(clustered, mechanism.law, budget=600 * 24 * 3)
    for _ in range(2):
        streams = tv.RandomSource.keyed(bytes(32)).streams(mechanism._purpose, ids)
        assert (small.draw(ids, streams) == whole).all()
        assert len(small._arena.rows.ids) == 1800


def test_ids_of_any_shape(clustered):
    mechanism = tv.Exponential(clustered, epsilon=1.0)
    assert mechanism.release_ids(np.zeros((3, 4), dtype=np.int32)).shape == (3, 4)
    assert mechanism.release_ids(np.zeros(0, dtype=np.int64)).shape == (0,)
    assert mechanism.release([]) == []


# -- certificates -------------------------------------------------------------------------------------------


def test_a_calibration_is_kept_and_found_again(clustered, monkeypatch):
    first = tv.Exponential(clustered, epsilon=1.25)
    monkeypatch.setattr("textveil.mechanisms.exponential.exponential.calibrate", None)
    again = tv.Exponential(clustered, epsilon=1.25)
    assert again.law.rate == first.law.rate
    assert (again.law.log_normalisers == first.law.log_normalisers).all()
    assert again.spec() == first.spec()


def edit(path, **changes):
    with np.load(path) as stored:
        contents = dict(stored)
    contents.update({name: change(contents[name]) for name, change in changes.items()})
    np.savez(path, **contents)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: edit(path, header=lambda text: np.array(str(text).replace('"rate": 0', '"rate": 1'))),
        lambda path: edit(path, log_normalisers=lambda values: values + 1e-9),
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        lambda path: path.write_bytes(b""),
    ],
    ids=["rate", "normalisers", "truncated", "empty"],
)
def test_an_edited_certificate_is_refused(clustered, spoil):
    tv.Exponential(clustered, epsilon=0.9)
    (path,) = (cache_folder() / "laws").glob("*.npz")
    spoil(path)
    with pytest.raises(tv.CertificateError, match="delete it"):
        tv.Exponential(clustered, epsilon=0.9)


def test_a_certificate_of_another_vocabulary_is_refused(clustered):
    law = tv.Exponential(clustered, epsilon=0.9).law
    (path,) = (cache_folder() / "laws").glob("*.npz")
    other = certificates.subject_of(vocabulary="0" * 64, epsilon=0.9, radius=math.inf, form="plain")
    path.rename(certificates._path(other))
    with pytest.raises(tv.CertificateError, match="something else"):
        certificates.load(other)
    certificates.save(other, replace(law, loss=0.91))
    with pytest.raises(tv.CertificateError, match="does not certify epsilon"):
        certificates.load(other)


def test_a_cache_that_cannot_be_written_does_no_harm(clustered, monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("TEXTVEIL_CACHE", str(blocked))
    assert tv.Exponential(clustered, epsilon=0.9).law.certified


def test_large_vocabularies_release_at_once(clustered, monkeypatch):
    monkeypatch.setattr("textveil.mechanisms.exponential.exponential.PATIENCE_SECONDS", 0.0)
    quick = tv.Exponential(clustered, epsilon=1.0)
    assert not quick.law.certified
    assert quick.law.rate == pytest.approx(0.5, abs=1e-5)
    careful = quick.calibrate()
    assert careful.law.certified
    assert careful.law.rate > 0.51
    assert tv.Exponential(clustered, epsilon=1.0).law.rate == careful.law.rate
    assert careful.calibrate() is careful
    assert careful.spec() != quick.spec()


def test_calibration_takes_at_most_six_passes(clustered, monkeypatch):
    from textveil.mechanisms.exponential import calibration

    passes = []
    for name in ("log_normalisers", "steepest_pairs"):
        real = getattr(calibration, name)
        monkeypatch.setattr(calibration, name, lambda *a, real=real, **k: passes.append(1) or real(*a, **k))
    monkeypatch.setattr(calibration, "SMALL", 0)
    law = calibrate(clustered, 1.0, math.inf)
    assert len(passes) <= 6
    assert law.loss >= 0.98


def test_distances_computed_with_rounding_are_paid_for():
    rng = np.random.default_rng(0)
    far = tv.Vocabulary([f"w{i}" for i in range(20)], 300 * rng.normal(size=(20, 8)), unknown="w0")
    near = tv.Vocabulary([f"w{i}" for i in range(20)], rng.normal(size=(20, 8)), unknown="w0")
    assert uncalibrated(near, 1.0, math.inf).rate == pytest.approx(0.5, abs=1e-5)
    assert uncalibrated(far, 1.0, math.inf).rate < 0.49
    # Equal normalisers: all that is left of the slope is the slack, at the nearest pair.
    worst = steepest_pairs(near, np.zeros((1, 20)), radius=math.inf, slack=1e-3)
    distances = distance_matrix(near)
    assert worst.slope[0] == pytest.approx(1e-3 / distances[distances > 0].min())
    assert worst_rate(tv.Exponential(far, epsilon=0.01).transition_matrix(), distance_matrix(far)) <= 0.01 * (1 + 1e-6)


# -- explanations, specs, errors ------------------------------------------------------------------------------


def test_an_explanation_is_the_law(clustered):
    mechanism = tv.Exponential(clustered, epsilon=1.0)
    told = mechanism.explain("w5")
    row = mechanism.transition_rows(np.array([5]))[0]
    assert told.known
    assert told.stays == row[5]
    assert len(told.replacements) == 10
    assert [chance for _, chance in told.replacements] == sorted(np.delete(row, 5))[::-1][:10]
    assert told.kept == pytest.approx(np.diag(mechanism.transition_matrix()).mean(), rel=1e-9)
    matrix = mechanism.transition_matrix()
    outputs = np.argsort(-row, kind="stable")[:128]
    plausible = [(matrix[:, y] >= matrix[5, y] / 2).sum() - 1 for y in outputs]
    assert told.as_plausible == pytest.approx(row[outputs] @ plausible / row[outputs].sum())
    assert told.recovered <= 1
    assert "stays with chance" in str(told)
    assert "<p>" in told._repr_html_()


def test_an_unknown_word_is_explained_as_the_unknown_word(clustered):
    told = tv.Exponential(clustered, epsilon=1.0).explain("jane.doe@example.org")
    assert not told.known
    assert told.word == "w0"
    assert "jane.doe" not in str(told)


def test_a_mechanism_can_be_made_again_from_its_spec(clustered):
    for options in [{}, {"radius": 2.0}, {"calibrated": False}]:
        mechanism = tv.Exponential(clustered, epsilon=0.7, **options)
        again = tv.from_spec(mechanism.spec(), objects={"vocabulary": clustered})
        assert again.spec() == mechanism.spec()
        by_hash = tv.from_spec(mechanism.spec(), objects={clustered.digest: clustered})
        assert by_hash.spec() == mechanism.spec()


def test_a_spec_with_the_wrong_vocabulary_is_refused(clustered):
    spec = tv.Exponential(clustered, epsilon=0.7).spec()
    with pytest.raises(tv.CertificateError, match="not the one of the spec"):
        tv.from_spec(spec, objects={"vocabulary": LINE})
    with pytest.raises(tv.InvalidInputError, match="needs vocabulary"):
        tv.from_spec(spec)
    with pytest.raises(tv.InvalidInputError, match="no known mechanism"):
        tv.from_spec({"mechanism": "Nonsense"})


def test_a_receipt_tells_the_facts_and_no_content(clustered):
    release = tv.Exponential(clustered, epsilon=0.7).release_with_receipt(["w1", "secret-name"])
    text = release.receipt.to_json()
    assert len(release.value) == 2
    assert release.receipt.private
    assert release.receipt.items == 2
    assert "secret-name" not in text
    other = tv.Exponential(clustered, epsilon=0.7).release_with_receipt(["w2", "another-name"])
    assert replace(other.receipt, created="") == replace(release.receipt, created="")
    assert clustered.digest in text
    assert "Proved" in text
    seeded = tv.Exponential(clustered, epsilon=0.7).release_with_receipt(["w1"], source=tv.RandomSource.seeded(1))
    assert not seeded.receipt.private
    assert "NOT PRIVATE" in str(seeded.receipt)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0}, "epsilon must be a finite number > 0"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"epsilon": math.inf}, "epsilon"),
        ({"epsilon": "two"}, "epsilon must be a number"),
        ({"epsilon": 1.0, "radius": 0.0}, "radius"),
        ({"epsilon": 1.0, "radius": 1e-9}, "below the vocabulary's step"),
        ({"epsilon": 1e9}, "smaller epsilon"),
        ({"epsilon": 1.0, "weights": "loose"}, "weights"),
        ({"epsilon": 1.0, "weights": "tight", "calibrated": False}, "calibrated"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tv.Exponential(LINE, **options)


@pytest.mark.parametrize("private", ["a bare string", [1, 2], [None], 5])
def test_bad_words_are_refused(private):
    with pytest.raises((ValueError, TypeError)):
        tv.Exponential(LINE, epsilon=1.0).release(private)


@pytest.mark.parametrize("ids", [np.array([4]), np.array([-1]), np.array([0.5])])
def test_bad_ids_are_refused(ids):
    with pytest.raises(tv.InvalidInputError, match="ids"):
        tv.Exponential(LINE, epsilon=1.0).release_ids(ids)
