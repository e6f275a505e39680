"""NADP: what is published gives words away; the repairs promise something for every pair, and their laws keep it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

import textveil as tv
from textveil.noise.gaussian_curve import gaussian_delta, gaussian_scale, unequal_gaussian_delta
from textveil.vocabulary.graph import component_diameters

DELTA = 1e-5
# Two close pairs, a wider one and a word alone, on a line: components {a, b}, {c, d}, {e, f}, {g}.
LINE = tv.Vocabulary(list("abcdefg"), [[0.0], [0.25], [2.0], [2.5], [5.0], [6.0], [9.0]], unknown="g")
REPAIRED = ("word", "radius", "component")


def line(variant, epsilon=2.0, **options):
    return tv.Nadp(LINE, epsilon=epsilon, delta=DELTA, variant=variant, threshold=0.5, **options)


def distances_of(vocabulary):
    points = vocabulary.points.astype(np.float64)
    return np.linalg.norm(points[:, None] - points[None], axis=2)


# -- published ------------------------------------------------------------------------------------------------------


def test_as_published_a_word_without_neighbours_is_released_as_it_is():
    mechanism = line("published")
    assert mechanism.zero_noise_words == ["g"]
    assert mechanism.release(["g", "outside"]).tolist() == [[9.0], [9.0]]
    noisy = mechanism.release(list("abcdef"))
    assert (noisy != LINE.points[:6]).all()


def test_as_published_a_table_mostly_bare_is_released_bit_for_bit(clustered):
    mechanism = tv.Nadp(clustered, epsilon=1.0, delta=DELTA, variant="published")
    bare = mechanism.zero_noise_words
    assert 0 < len(bare) < 600
    assert (mechanism.release(bare) == clustered.points[clustered.ids(bare)]).all()
    text = str(mechanism.guarantee)
    assert text.startswith("REFUTED")
    assert f"{len(bare)} of 600 words ({len(bare) / 600:.1%}) get no noise at all" in text
    assert mechanism.guarantee.status is tv.Status.REFUTED
    assert mechanism.guarantee.relation.pairs is tv.Pairs.EDGES


def test_as_published_the_noise_has_the_size_of_the_longest_edge():
    """Chi-square of the variance at 1e-7; the same test must fail for a deviation x1.3."""
    mechanism = line("published", epsilon=1.0)
    edges = np.array([0.25, 0.25, 0.5, 0.5, 1.0, 1.0, 0.0])
    assert mechanism.deviations == pytest.approx(gaussian_scale(1.0, DELTA) * edges, abs=2e-6)
    for place, word in enumerate("abcdef"):
        noise = mechanism.release([word] * 2000, source=tv.RandomSource.seeded(place))[:, 0] - LINE.points[place]
        square = np.sum(noise**2) / mechanism.deviations[place] ** 2
        tails = [stats.chi2(2000).cdf(square / scale**2) for scale in (1.0, 1.3)]
        assert 1e-7 < tails[0] < 1 - 1e-7
        assert tails[1] < 1e-7


def test_as_published_the_size_of_the_noise_gives_the_neighbourhood_away():
    """SPEC 6.1: in 300 dimensions deviations in the ratio 1.5 are told apart by one release."""
    d, ratio = 300, 1.5
    across = unequal_gaussian_delta(1.0, dimension=d, sigma=1.0, other_sigma=ratio, distance=0.0)
    assert across == pytest.approx(1.0, abs=1e-3)
    vectors = np.zeros((4, d))
    vectors[1, 0], vectors[2, 1], vectors[3, 1] = 1.0, 40.0, 40.0 + ratio
    vocabulary = tv.Vocabulary(list("abcd"), vectors, unknown="a")
    mechanism = tv.Nadp(vocabulary, epsilon=1.0, delta=DELTA, variant="published")
    assert "between the words of least and of most noise delta is 1 at this epsilon" in mechanism.guarantee.reason
    words = ["a"] * 50 + ["c"] * 50
    released = mechanism.release(words, source=tv.RandomSource.seeded(1))
    sizes = np.std(released[:, 2:], axis=1)
    middle = math.sqrt(mechanism.deviations[0] * mechanism.deviations[2])
    assert [("c" if size > middle else "a") for size in sizes] == words


@pytest.mark.parametrize(("epsilon", "escaping"), [(1.0, [1.6e-3, 1.2e-2, 6.9e-2]), (5.0, [7.4e-3, 8.1e-2, 0.48])])
def test_as_published_words_of_one_neighbourhood_that_are_not_joined_are_not_covered(epsilon, escaping):
    """SPEC 6.1: delta at 1.5, 2 and 3 times the longest edge, where 1/73404 is claimed."""
    mu = 1 / gaussian_scale(epsilon, 1 / 73404)
    deltas = [gaussian_delta(epsilon, times * mu) for times in (1.5, 2.0, 3.0)]
    assert deltas == pytest.approx(escaping, rel=0.05)
    assert gaussian_delta(epsilon, mu) <= 1 / 73404


def test_released_sensitivities_can_be_used_in_place_of_the_graph(clustered):
    given = np.where(np.arange(600) % 3 == 0, 0.0, 1.5)
    mechanism = tv.Nadp(clustered, epsilon=1.0, delta=DELTA, variant="published", sensitivities=given)
    assert len(mechanism.zero_noise_words) == 200
    assert "200 of 600 words (33.3%)" in mechanism.guarantee.reason
    assert mechanism.deviations[1] == pytest.approx(1.5 * gaussian_scale(1.0, DELTA), abs=2e-6)
    assert "graph" not in mechanism.__dict__


# -- radius (N1) ----------------------------------------------------------------------------------------------------


def test_one_size_of_noise_covers_every_pair_within_the_radius(clustered):
    mechanism = tv.Nadp(clustered, epsilon=1.0, delta=DELTA, variant="radius")
    distances = distances_of(clustered)
    np.fill_diagonal(distances, np.inf)
    radius = distances.min(axis=1).max()
    guarantee = mechanism.guarantee
    assert guarantee.relation.radius == pytest.approx(radius, rel=1e-12)
    assert guarantee.status is tv.Status.PROVED
    assert guarantee.loss(radius * (1 - 1e-9)) == 1.0
    assert guarantee.loss(radius * (1 + 1e-9)) == math.inf
    assert guarantee.slack == 0
    sigma = np.unique(mechanism.deviations)
    assert len(sigma) == 1
    assert guarantee.mu == pytest.approx(1 / sigma[0])
    assert sigma[0] >= gaussian_scale(1.0, DELTA) * radius
    assert sigma[0] == pytest.approx(gaussian_scale(1.0, DELTA) * radius, rel=1e-5)


def test_noise_of_a_given_radius_is_normal_in_every_coordinate(clustered):
    """KS at 1e-7 on 600 x 12 numbers; the same test must fail for a deviation x1.3."""
    mechanism = tv.Nadp(clustered, epsilon=3.0, delta=1e-3, variant="radius", radius=0.5)
    released = mechanism.release(list(clustered.words), source=tv.RandomSource.seeded(5))
    noise = (released - clustered.points).ravel() / (0.5 * gaussian_scale(3.0, 1e-3))
    assert stats.kstest(noise, stats.norm.cdf).pvalue > 1e-7
    assert stats.kstest(noise / 1.3, stats.norm.cdf).pvalue < 1e-7
    assert (released / clustered.step == np.rint(released / clustered.step)).all()


# -- component (N2) -------------------------------------------------------------------------------------------------


def test_the_chance_of_a_neighbourhood_keeps_its_share_of_epsilon(clustered):
    mechanism = tv.Nadp(clustered, epsilon=2.0, delta=DELTA, variant="component", split=0.25, threshold=0.1, overlap=10)
    components = mechanism.graph.components
    assert 1 < mechanism.graph.count < 600
    chosen = mechanism.transition_rows(np.arange(600))
    assert chosen.sum(axis=1) == pytest.approx(np.ones(600))
    chances = np.stack([chosen[:, components == number].sum(axis=1) for number in range(mechanism.graph.count)], axis=1)
    logs = np.log(chances)
    distances = distances_of(clustered)
    for word in range(600):
        assert (np.abs(logs - logs[word]).max(axis=1) <= 1.5 * distances[word] + 1e-9).all()
    exact = np.exp(
        -0.75 * np.stack([distances[:, components == c].min(axis=1) for c in range(len(chances[0]))], axis=1)
    )
    assert chances == pytest.approx(exact / exact.sum(axis=1, keepdims=True), rel=1e-4)


def test_the_word_kept_is_the_nearest_of_the_neighbourhood_chosen():
    mechanism = line("component")
    assert mechanism.graph.components.tolist() == [0, 0, 1, 1, 2, 2, 3]
    rows = mechanism.transition_rows(np.arange(7)) > 0
    assert "".join(np.array(list("abcdefg"))[rows[3]]) == "bdeg"
    assert "".join(np.array(list("abcdefg"))[rows[0]]) == "aceg"


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (1, 2), (3, 6), (0, 6), (4, 5)])
def test_two_stages_keep_epsilon_times_distance_plus_a_constant(pair):
    """The law of (neighbourhood, vector) by quadrature, for words of one and of two neighbourhoods."""
    mechanism = line("component", epsilon=1.0, split=0.5)
    guarantee = mechanism.guarantee
    x, y = pair
    distance = abs(float(LINE.points[x, 0] - LINE.points[y, 0]))
    assert guarantee.loss(distance) == pytest.approx(0.5 * distance + 0.5)
    bound = math.exp(guarantee.loss(distance))
    rows = mechanism.transition_rows(np.array(pair))
    escaping = 0.0
    for number in range(mechanism.graph.count):
        members = np.flatnonzero(mechanism.graph.components == number)
        (a, p), (b, q) = ((members[row[members].argmax()], row[members].sum()) for row in rows)
        sigma = mechanism.deviations[a]
        if sigma == 0:
            escaping += max(0.0, p - bound * q)
            continue
        first, second = (stats.norm(LINE.points[word, 0], sigma) for word in (a, b))
        z = np.linspace(-12 * sigma, 12 * sigma + 9, 400_001)
        excess = np.maximum(0.0, p * first.pdf(z) - bound * q * second.pdf(z))
        escaping += integrate.trapezoid(excess, z)
    assert escaping <= DELTA * (1 + 1e-6)


def test_the_diameter_of_the_neighbourhood_sets_the_noise(clustered):
    mechanism = tv.Nadp(clustered, epsilon=2.0, delta=DELTA, variant="component", threshold=0.1, overlap=10)
    diameters = component_diameters(clustered, mechanism.graph.components)[mechanism.graph.components]
    assert mechanism.deviations == pytest.approx(gaussian_scale(1.0, DELTA) * diameters, abs=2e-6)
    assert (mechanism.deviations >= gaussian_scale(1.0, DELTA) * diameters).all()


def test_released_neighbourhoods_have_the_exact_law_and_noise_of_their_own_bits():
    """Chi-square and KS at 1e-7; a rate x1.3 and a deviation x1.3 must fail."""
    mechanism = line("component", epsilon=1.0)
    released = mechanism.release(["a"] * 20_000, source=tv.RandomSource.seeded(3))[:, 0]
    alone = released == 9.0
    chance = mechanism.transition_rows(np.array([0]))[0]
    for scale, passes in [(1.0, True), (1.3, False)]:
        weights = chance**scale / (chance**scale).sum()
        assert (stats.binomtest(int(alone.sum()), 20_000, weights[6]).pvalue > 1e-7) == passes
    centres, weights = LINE.points[[0, 2, 4], 0], chance[[0, 2, 4]] / chance[[0, 2, 4]].sum()
    for scale, passes in [(1.0, True), (1.3, False)]:
        sigmas = scale * mechanism.deviations[[0, 2, 4]]
        law = lambda z: sum(w * stats.norm(c, s).cdf(z) for w, c, s in zip(weights, centres, sigmas, strict=True))  # noqa: E731, B023
        assert (stats.kstest(released[~alone], law).pvalue > 1e-7) == passes


def test_the_choice_and_the_noise_read_different_bits(monkeypatch):
    read = []

    def choose(self, ids, streams):
        read.append(streams.words(64))
        return ids

    def noisy_points(vocabulary, ids, steps, streams):
        read.append(streams.words(64))
        return vocabulary.points[ids]

    monkeypatch.setattr("textveil.mechanisms.nadp.repaired.Component.choose", choose)
    monkeypatch.setattr("textveil.mechanisms.nadp.nadp.noisy_points", noisy_points)
    line("component").release(list("abcd"))
    assert [words.shape for words in read] == [(4, 64), (4, 64)]
    assert len(np.unique(read)) == 2 * 4 * 64


# -- word (N3) ------------------------------------------------------------------------------------------------------


def test_by_default_the_public_vector_of_a_drawn_word_is_released():
    """Chi-square at 1e-7; epsilon x1.3 must fail."""
    mechanism = tv.Nadp(LINE, epsilon=0.5)
    exponential = tv.Exponential(LINE, epsilon=0.5)
    assert mechanism.guarantee == exponential.guarantee
    assert mechanism.guarantee.delta == 0
    released = mechanism.release(["c"] * 20_000, source=tv.RandomSource.seeded(6))[:, 0]
    counts = np.array([(released == point).sum() for point in LINE.points[:, 0]])
    assert counts.sum() == 20_000
    for epsilon, passes in [(0.5, True), (0.65, False)]:
        law = tv.Nadp(LINE, epsilon=epsilon).transition_rows(np.array([2]))[0]
        assert (stats.chisquare(counts, law * 20_000).pvalue > 1e-7) == passes


# -- all ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", REPAIRED)
def test_no_repaired_variant_leaves_a_word_without_noise(variant, clustered):
    mechanism = tv.Nadp(clustered, epsilon=1.0, delta=DELTA, variant=variant)
    assert mechanism.zero_noise_words == []
    stays = np.diagonal(mechanism.transition_rows(np.arange(600)))
    assert ((mechanism.deviations > 0) | (stays < 0.9)).all()
    bare = tv.Nadp(clustered, epsilon=1.0, delta=DELTA, variant="published").zero_noise_words
    released = mechanism.release(bare, source=tv.RandomSource.seeded(1))
    unchanged = (released == clustered.points[clustered.ids(bare)]).all(axis=1)
    assert unchanged.mean() < 0.7
    assert mechanism.guarantee.status is tv.Status.PROVED


@pytest.mark.parametrize("variant", [*REPAIRED, "published"])
def test_words_in_vectors_out(variant, clustered):
    mechanism = tv.Nadp(clustered, epsilon=1.0, delta=DELTA, variant=variant)
    assert mechanism.release(["w1", "w2", "w3"]).shape == (3, 12)
    assert mechanism.release([]).shape == (0, 12)
    with pytest.raises(tv.InvalidInputError, match="list of words"):
        mechanism.release("w1")
    key = tv.RandomSource.keyed(bytes(32), 10)
    batch = mechanism.release(["w5", "nobody@example.org", "w7"], source=key)
    assert (batch[2:] == mechanism.release(["w7"], source=tv.RandomSource.keyed(bytes(32), 12))).all()
    assert (batch[1:2] == mechanism.release(["w0"], source=tv.RandomSource.keyed(bytes(32), 11))).all()


@pytest.mark.parametrize(
    "options",
    [
        {"variant": "word"},
        {"variant": "word", "radius": 3.0},
        {"variant": "word", "calibrated": False},
        {"variant": "radius"},
        {"variant": "component", "split": 0.3, "overlap": 10, "threshold": 0.2},
        {"variant": "published", "neighbours": 3},
    ],
)
def test_a_spec_makes_it_again(options, clustered):
    mechanism = tv.Nadp(clustered, epsilon=1.5, delta=DELTA, **options)
    again = tv.from_spec(mechanism.spec(), objects={"vocabulary": clustered})
    assert again.spec() == mechanism.spec()


def test_a_spec_with_sensitivities_asks_for_the_same_ones(clustered):
    given = np.linspace(0, 1, 600)
    spec = tv.Nadp(clustered, epsilon=1.0, delta=DELTA, variant="published", sensitivities=given).spec()
    assert tv.from_spec(spec, objects={"vocabulary": clustered, "sensitivities": given}).spec() == spec
    with pytest.raises(tv.CertificateError, match="sensitivities"):
        tv.from_spec(spec, objects={"vocabulary": clustered, "sensitivities": 2 * given})
    with pytest.raises(tv.CertificateError, match="sensitivities"):
        tv.from_spec(spec, objects={"vocabulary": clustered})


@pytest.mark.parametrize("variant", ["published", "radius"])
def test_the_density_is_that_of_the_noise(variant):
    mechanism = line(variant)
    for word in "ce":
        total, _ = integrate.quad(lambda z: math.exp(mechanism.log_density([z], [word])[0]), -60, 60)  # noqa: B023
        assert total == pytest.approx(1.0, abs=1e-6)
    both = mechanism.log_density(np.array([[1.0], [2.0]]), ["a", "e"])
    sigma = mechanism.deviations[[0, 4]]
    assert both == pytest.approx(stats.norm(LINE.points[[0, 4], 0], sigma).logpdf([1.0, 2.0]))


def test_the_density_of_a_bare_word_is_a_point():
    mechanism = line("published")
    assert mechanism.log_density([[9.0], [8.0]], ["g", "g"]).tolist() == [math.inf, -math.inf]
    with pytest.raises(tv.InvalidInputError, match="transition_rows"):
        line("word").log_density([[9.0]], ["g"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": 1.0, "delta": 1.0}, "delta"),
        ({"epsilon": 1.0, "variant": "radius"}, "delta"),
        ({"epsilon": 1.0, "variant": "component"}, "delta"),
        ({"epsilon": 1.0, "delta": DELTA, "variant": "sloppy"}, "variant"),
        ({"epsilon": 1.0, "delta": DELTA, "variant": "component", "split": 1.0}, "split"),
        ({"epsilon": 1.0, "delta": DELTA, "variant": "radius", "radius": -1.0}, "radius"),
        ({"epsilon": 1.0, "delta": DELTA, "variant": "radius", "neighbours": 8}, "at most 7"),
        ({"epsilon": 1e-9, "delta": 1e-90, "variant": "radius", "radius": 1e9}, "deviation below"),
        ({"epsilon": 1.0, "delta": DELTA, "variant": "published", "sensitivities": [1.0]}, "7 finite numbers"),
        ({"epsilon": 1.0, "delta": DELTA, "variant": "published", "sensitivities": [-1.0] * 7}, "7 finite numbers"),
        ({"epsilon": 1.0, "delta": DELTA, "variant": "radius", "sensitivities": [1.0] * 7}, "published"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tv.Nadp(LINE, **options)
