"""Analytic audits recompute the loss from what the sampler uses, and tell ideal arithmetic from what is sampled."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate

import textveil as tv
from textveil.auditing.analytic import analytic_finding
from textveil.auditing.analytic.sphere import mass
from textveil.auditing.analytic.unequal import NoisyWords
from textveil.guarantees import local_privacy, metric_privacy
from textveil.mechanisms.directions import Directions
from textveil.mechanisms.vectors import AdditiveMechanism
from textveil.noise.cap import best_cap
from textveil.noise.gaussian_curve import gaussian_delta
from textveil.noise.lattice import Lattice

EUCLIDEAN = metric_privacy(1.0, metric="Euclidean distance", unit=tv.Unit.VECTOR)


def own(mechanism):
    return analytic_finding(mechanism, mechanism.guarantee)


def forge(mechanism, **values):
    """Change what the sampler uses, and nothing that the promise is made of."""
    for name, value in values.items():
        object.__setattr__(mechanism, name, value)
        mechanism.__dict__[name] = value
    return mechanism


# -- noise on vectors ---------------------------------------------------------------------------------------

HOLDING = {
    "Laplace": tv.Laplace(epsilon=1.3, dimension=5),
    "Laplace, exact": tv.Laplace(epsilon=1.3, dimension=5, precision="exact"),
    "Laplace, delta": tv.Laplace(epsilon=1.3, dimension=5, delta=1e-6, sensitivity=2.0),
    "Laplace, delta, fast": tv.Laplace(epsilon=1.3, dimension=5, delta=1e-3, sensitivity=2.0, precision="fast"),
    "Laplace, unit vectors": tv.Laplace(epsilon=1.3, dimension=5, normalise=True),
    "Laplace, unit vectors, exact": tv.Laplace(epsilon=1.3, dimension=5, normalise=True, precision="exact"),
    "CoordinateLaplace": tv.CoordinateLaplace(epsilon=1.3, dimension=5),
    "Gaussian": tv.Gaussian(epsilon=1.3, delta=1e-5, sensitivity=2.0, dimension=5),
    "Gaussian, fast": tv.Gaussian(epsilon=1.3, delta=1e-3, sensitivity=2.0, dimension=5, precision="fast"),
    "Mahalanobis": tv.Mahalanobis(np.diag([1.0, 2.0, 5.0]), epsilon=1.3),
    "Mahalanobis, exact": tv.Mahalanobis(np.diag([1.0, 2.0, 5.0]), epsilon=1.3, precision="exact"),
    "PrivUnit": tv.PrivUnit(epsilon=1.3, dimension=5),
    "PrivUnit, sphere": tv.PrivUnit(epsilon=1.3, dimension=5, domain="sphere"),
    "GaussianMean": tv.GaussianMean(epsilon=1.3, delta=1e-5, dimension=5, clip=3.0),
    "TruncatedMean": tv.TruncatedMean(lower=[0.0, -1.0], upper=[1.0, 5.0], epsilon=1.3),
    "AveragedPrivUnit": tv.AveragedPrivUnit(epsilon=1.3, dimension=5),
}


@pytest.mark.parametrize("mechanism", HOLDING.values(), ids=HOLDING)
def test_what_is_proved_holds_with_next_to_nothing_unused(mechanism):
    finding = own(mechanism)
    assert finding.verdict == "holds"
    assert 1.3 * (1 - 1e-4) < finding.bound <= 1.3 * (1 + 1e-12)


@pytest.mark.parametrize("mechanism", HOLDING.values(), ids=HOLDING)
def test_a_claim_that_is_a_thousandth_smaller_is_violated(mechanism):
    finding = analytic_finding(mechanism, replace(mechanism.guarantee, epsilon=1.3 * 0.999, mu=None))
    # Dividing by the length comes after the noise, and may hide what it shows.
    hides = getattr(mechanism, "normalise", False)
    assert finding.verdict == ("not certifiable" if hides else "violated")
    assert finding.bound > 1.3 * (1 - 1e-4)


@pytest.mark.parametrize(
    ("mechanism", "forged"),
    [
        (tv.Laplace(epsilon=1.3, dimension=5), {"scale": 1 / 1.3 / 1.3}),
        (tv.Gaussian(epsilon=1.3, delta=1e-5, sensitivity=2.0, dimension=5, precision="fast"), {"sigma": 3.0}),
        (tv.TruncatedMean(lower=[0.0], upper=[1.0], epsilon=1.3), {"scales": np.array([2**19])}),
        (tv.PrivUnit(epsilon=1.3, dimension=5), {"cap": best_cap(6, 0.4)}),
    ],
)
def test_what_the_sampler_uses_counts_and_not_the_claim(mechanism, forged):
    claim = mechanism.guarantee
    finding = analytic_finding(forge(mechanism, **forged), claim)
    if "cap" in forged:
        # Any cap keeps epsilon; another one is only less useful.
        assert finding.verdict == "holds"
    else:
        assert finding.verdict == "violated"
        assert finding.bound > 1.3


def test_a_claim_without_slack_is_not_certified_for_floats():
    mechanism = tv.Laplace(epsilon=1.0, dimension=3)
    finding = analytic_finding(mechanism, replace(mechanism.guarantee, slack=0.0))
    assert finding.verdict == "not certifiable"
    assert "floating point" in finding.explanation
    exact = tv.Laplace(epsilon=1.0, dimension=3, precision="exact")
    pure = analytic_finding(exact, replace(exact.guarantee, delta=0.0))
    assert pure.verdict == "not certifiable"
    assert "table ends" in pure.explanation


def test_rounding_that_the_claim_does_not_count_is_not_certified():
    mechanism = tv.Mahalanobis(np.eye(2), epsilon=1.0)
    claim = mechanism.guarantee
    finding = analytic_finding(mechanism, replace(claim, relation=replace(claim.relation, rounding=0.0)))
    assert finding.verdict == "not certifiable"


@pytest.mark.parametrize(
    ("mechanism", "claim", "bound"),
    [
        (tv.CoordinateLaplace(epsilon=1.0, dimension=9), EUCLIDEAN, 3.0),
        (tv.Mahalanobis(np.diag([1.0, 4.0]), epsilon=1.0), EUCLIDEAN, math.sqrt(2.5)),
        (tv.Laplace(epsilon=1.0, dimension=9), local_privacy(50.0, unit=tv.Unit.VECTOR), math.inf),
    ],
)
def test_another_distance_needs_another_epsilon(mechanism, claim, bound):
    finding = analytic_finding(mechanism, claim)
    assert finding.verdict == "violated"
    assert finding.bound == pytest.approx(bound, rel=1e-9)


def test_the_mean_square_of_a_gaussian_claim_is_looked_at():
    mechanism = tv.Gaussian(epsilon=1.0, delta=1e-5, sensitivity=1.0, dimension=2)
    claim = replace(mechanism.guarantee, mu=mechanism.guarantee.mu / 2)
    assert analytic_finding(mechanism, claim).verdict == "violated"


# -- ClippedLaplace -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 32])
@pytest.mark.parametrize("precision", ["exact", "fast"])
def test_the_published_noise_has_sqrt_n_times_its_epsilon(dimension, precision):
    mechanism = tv.ClippedLaplace(epsilon=1.0, clip=3.0, dimension=dimension, variant="published", precision=precision)
    finding = own(mechanism)
    assert finding.verdict == "violated"
    assert finding.bound == pytest.approx(math.sqrt(dimension), rel=1e-9)
    first, second = map(np.array, finding.witness.pair)
    assert first == pytest.approx(np.full(dimension, 3 / math.sqrt(dimension)))
    assert second == pytest.approx(-first)
    densities = mechanism.log_density(first, first) - mechanism.log_density(first, second)
    assert densities == pytest.approx(finding.witness.loss)
    if dimension == 32:
        assert "Delta at the epsilon claimed is 0.117" in finding.explanation


def test_with_the_delta_that_escapes_the_published_claim_is_still_broken():
    mechanism = tv.ClippedLaplace(epsilon=1.0, clip=1.0, dimension=32, variant="published")
    claim = replace(mechanism.guarantee, delta=0.1)
    assert analytic_finding(mechanism, claim).verdict == "violated"
    assert analytic_finding(mechanism, replace(claim, delta=0.12)).verdict != "violated"


@pytest.mark.parametrize("variant", ["l1", "corrected", "radial"])
@pytest.mark.parametrize("precision", ["exact", "fast"])
def test_the_other_variants_keep_epsilon(variant, precision):
    finding = own(tv.ClippedLaplace(epsilon=1.0, clip=3.0, dimension=8, variant=variant, precision=precision))
    assert finding.verdict == "holds"
    assert finding.bound == pytest.approx(1.0, rel=1e-9)


# -- PrivUnit -----------------------------------------------------------------------------------------------


def test_the_mass_of_a_cap_is_that_of_quadrature():
    cap = best_cap(9, 2.0)
    density = lambda t: (1 - t * t) ** ((9 - 3) / 2)  # noqa: E731
    share = integrate.quad(density, cap.gamma, 1)[0] / integrate.quad(density, -1, 1)[0]
    assert mass(cap) == pytest.approx(share, rel=1e-10)


def test_the_quick_sampler_is_certified_in_ideal_arithmetic_only():
    finding = own(tv.PrivUnit(epsilon=2.0, dimension=8, sampler="beta"))
    assert finding.verdict == "not certifiable"
    assert finding.bound == pytest.approx(2.0, rel=1e-9)
    assert "ideal arithmetic" in finding.explanation


def test_a_cap_that_is_drawn_too_often_is_caught():
    mechanism = tv.PrivUnit(epsilon=2.0, dimension=8, sampler="beta")
    drawer = mechanism._drawer
    forge(drawer, _on_cap=int(drawer._on_cap * 1.1))
    assert own(mechanism).verdict == "violated"
    kept = tv.PrivUnit(epsilon=2.0, dimension=8)
    kept._drawer.coin //= 2
    finding = own(kept)
    assert finding.verdict == "violated"
    assert finding.bound == pytest.approx(2 + math.log(2), rel=1e-9)


# -- the ball -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "epsilon"), [("repaired", 3.0), ("lebesgue", 1.0), ("lebesgue", 7.0)])
def test_hyperbolic_noise_holds_in_ideal_arithmetic(variant, epsilon):
    mechanism = tv.HyperbolicLaplace(epsilon=epsilon, dimension=2, variant=variant)
    finding = own(mechanism)
    assert finding.verdict == "not certifiable"
    assert finding.bound == pytest.approx(epsilon)
    assert "ideal arithmetic" in finding.explanation
    smaller = replace(mechanism.guarantee, epsilon=0.99 * epsilon)
    assert analytic_finding(mechanism, smaller).verdict == "violated"


def test_published_hyperbolic_noise_has_outputs_that_one_input_can_not_have():
    finding = own(tv.HyperbolicLaplace(epsilon=1.0, dimension=2, variant="published"))
    assert finding.verdict == "violated"
    assert finding.bound == math.inf
    assert finding.witness.claimed == pytest.approx(5.888877958332881)


# -- PrivEmb ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table():
    return np.random.default_rng(3).normal(size=(60, 6))


def test_a_projection_is_certified_by_its_own_matrix(table):
    for options in ({}, {"public": table}, {"projection": "gaussian"}, {"precision": "exact"}):
        finding = own(tv.PrivEmb(epsilon=1.0, dimension=6, target=3, **options))
        assert finding.verdict == "holds", options
        assert finding.bound == pytest.approx(1.0, rel=1e-5)


def test_noise_for_a_smaller_stretch_is_caught_between_two_rows_of_the_table(table):
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=6, target=3, public=table)
    smaller = replace(mechanism.certificate, lipschitz=mechanism.lipschitz / 1.3)
    claim = mechanism.guarantee
    mechanism.__dict__.pop("_noise")
    object.__setattr__(mechanism, "certificate", smaller)
    finding = analytic_finding(mechanism, claim)
    assert finding.verdict == "violated"
    assert finding.bound == pytest.approx(1.3, rel=1e-6)
    first, second = map(np.array, finding.witness.pair)
    assert finding.witness.distance == pytest.approx(np.linalg.norm(first - second))
    images = [mechanism._projected(mechanism._check(row))[0] for row in (first, second)]
    assert np.linalg.norm(images[0] - images[1]) / mechanism.scale == pytest.approx(finding.witness.loss, rel=1e-6)


def test_a_published_projection_is_tested_by_its_largest_stretch():
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=60, target=20, beta=0.9, variant="published", seed=1)
    stretch = np.linalg.norm(mechanism.chosen.matrix, 2) / 1.9
    assert stretch > 1.2
    conditional = own(mechanism)
    assert mechanism.guarantee.status == "conditional"
    assert conditional.verdict == "not certifiable"
    assert conditional.bound == pytest.approx(stretch, rel=1e-9)
    plain = replace(mechanism.guarantee, status=tv.Status.PROVED, reason="")
    finding = analytic_finding(mechanism, plain)
    assert finding.verdict == "violated"
    first, second = map(np.array, finding.witness.pair)
    image = mechanism.chosen.apply((first - second)[None])[0]
    assert np.linalg.norm(image) / mechanism.scale / np.linalg.norm(first - second) == pytest.approx(stretch, rel=1e-9)


def test_a_published_projection_that_bets_too_high_is_violated():
    mechanism = tv.PrivEmb(epsilon=1.0, dimension=60, target=20, beta=0.1, variant="published", seed=1)
    assert mechanism.guarantee.status == "refuted"
    assert own(mechanism).verdict == "violated"


# -- words with noise ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["radius", "component"])
def test_repaired_neighbourhoods_hold(clustered, variant):
    mechanism = tv.Nadp(clustered, epsilon=2.0, delta=1e-5, variant=variant)
    assert own(mechanism).verdict == "holds"
    smaller = analytic_finding(mechanism, replace(mechanism.guarantee, epsilon=0.9, mu=None))
    # What bounds the loss of a component is not reached by all of them.
    assert smaller.verdict == ("violated" if variant == "radius" else "not certifiable")


def test_words_without_noise_refute_published_nadp_while_its_edges_hold(clustered):
    mechanism = tv.Nadp(clustered, epsilon=2.0, delta=1e-5, variant="published")
    finding = own(mechanism)
    assert finding.verdict == "violated"
    assert finding.bound == math.inf
    assert set(finding.witness.pair) & set(mechanism.zero_noise_words)
    edges = replace(mechanism.guarantee, status=tv.Status.PROVED, reason="")
    assert analytic_finding(mechanism, edges).verdict == "holds"
    assert analytic_finding(mechanism, replace(edges, delta=0.9e-5)).verdict == "violated"


def test_noise_of_two_sizes_refutes_published_nadp(clustered):
    sizes = np.where(np.arange(600) % 2, 1.0, 1.5)
    mechanism = tv.Nadp(clustered, epsilon=2.0, delta=1e-5, variant="published", sensitivities=sizes)
    finding = own(mechanism)
    assert finding.verdict == "violated"
    assert math.isfinite(finding.bound)
    edges = replace(mechanism.guarantee, status=tv.Status.PROVED, reason="")
    assert analytic_finding(mechanism, edges).verdict == "not certifiable"


def test_delta_of_unequal_noise_is_taken_in_both_directions(clustered):
    words = NoisyWords(tv.Vocabulary(["a", "b"], np.pad([[0.0], [3.0]], ((0, 0), (0, 299)))), np.array([1.0, 1.1]))
    for first, second in ((0, 1), (1, 0)):
        assert words.delta(5.0, first, second, 3.0) == pytest.approx(0.6229528840, abs=1e-9)
    equal = NoisyWords(words.vocabulary, np.array([2.0, 2.0]))
    assert equal.delta(1.0, 0, 1, 3.0) == gaussian_delta(1.0, 1.5)
    assert equal.delta(equal.epsilon(1e-3, 0, 1, 3.0), 0, 1, 3.0) == pytest.approx(1e-3)


def test_jaccard_is_refuted_on_its_own_edges(clustered):
    finding = own(tv.Jaccard(clustered, epsilon=1.0, delta=1e-5))
    assert finding.verdict == "violated"
    assert "joined pairs" in finding.explanation


# -- mechanisms around others -------------------------------------------------------------------------------


def test_what_is_done_around_the_noise_keeps_its_promise_and_may_hide_its_breach(clustered):
    laplace = tv.Laplace(epsilon=1.0, dimension=12)
    for mechanism in (tv.NearestWord(clustered, laplace), tv.WordVector(clustered, laplace)):
        assert own(mechanism).verdict == "holds"
        smaller = replace(mechanism.guarantee, epsilon=0.5)
        assert analytic_finding(mechanism, smaller).verdict == (
            "violated" if isinstance(mechanism, tv.WordVector) else "not certifiable"
        )


def counting_l1(mechanism):
    """The same around noise that counts the l1 distance, under the promise that it had."""
    promise = mechanism.guarantee
    kind = type(mechanism)
    relabelled = type(kind.__name__, (kind,), {"__module__": kind.__module__, "guarantee": property(lambda _: promise)})
    forged = object.__new__(relabelled)
    forged.__dict__.update(vars(mechanism), mechanism=tv.CoordinateLaplace(epsilon=1.0, dimension=12))
    return forged


def test_a_distance_that_is_not_that_of_the_noise_is_not_taken_for_it(clustered):
    laplace = tv.Laplace(epsilon=1.0, dimension=12)
    encoder = tv.AveragedWords(clustered)
    for honest in (
        tv.NearestWord(clustered, laplace),
        tv.WordVector(clustered, laplace),
        tv.TextEmbedder(laplace, encoder=encoder),
    ):
        assert own(honest).verdict == "holds"
        forged = own(counting_l1(honest))
        assert forged is None or forged.verdict != "holds"
    assert own(tv.WordVector(clustered, tv.CoordinateLaplace(epsilon=1.0, dimension=12))).verdict == "holds"
    assert own(tv.TextEmbedder(tv.Mahalanobis(np.eye(12), epsilon=1.0), encoder=encoder)).verdict == "holds"


def test_near_vectors_may_have_opposite_directions():
    """So nothing is said of the distance of vectors that are divided by their lengths."""
    mechanism = Directions(tv.Laplace(epsilon=1.0, dimension=3))
    assert own(mechanism).verdict == "holds"
    assert analytic_finding(mechanism, EUCLIDEAN) is None


def test_words_are_compared_by_the_distance_of_the_claim():
    """A claim by l1 is broken along an axis, and not for words on a diagonal, which must not be named."""
    diagonal = tv.Vocabulary(["a", "b"], np.array([[0.0, 0.0], [1.0, 1.0]]))
    claim = metric_privacy(0.9, metric="l1 distance", unit=tv.Unit.WORD, slack=1e-6)
    found = analytic_finding(tv.WordVector(diagonal, tv.Laplace(epsilon=1.0, dimension=2)), claim)
    assert found.verdict == "not certifiable"


def test_words_that_show_a_breach_of_the_noise_are_found(clustered):
    published = tv.ClippedLaplace(epsilon=1.0, clip=1.0, dimension=12, variant="published")
    finding = own(tv.WordVector(clustered, published))
    assert finding.verdict == "violated"
    first, second = (clustered.block(i, i + 1)[0] for i in clustered.ids(finding.witness.pair))
    far = finding.witness.loss
    assert far == pytest.approx(np.abs(published._clipped(np.stack([first, -second])).sum(axis=0)).sum() / 2, rel=0.2)


# -- a density that is known by its values alone ------------------------------------------------------------


class Cauchy(AdditiveMechanism):
    """Cauchy noise in each coordinate: its log-density has slope 1 / scale at most."""

    def __init__(self, scale, dimension, claimed):
        self.scale, self.dimension, self._claimed = scale, dimension, claimed

    @property
    def lattice(self):
        return Lattice(2.0**-20)

    @property
    def guarantee(self):
        return metric_privacy(self._claimed, metric="Euclidean distance", unit=tv.Unit.VECTOR)

    def spec(self):
        return {"mechanism": "Cauchy"}

    def _draw(self, streams):
        raise NotImplementedError

    def log_density(self, output, given):
        return -np.log1p(((output - given) / self.scale) ** 2).sum(axis=-1)


def test_a_search_accuses_and_never_certifies():
    assert own(Cauchy(1.0, 1, 1.0)).verdict == "not certifiable"
    assert "proves nothing" in own(Cauchy(1.0, 1, 1.0)).explanation
    finding = own(Cauchy(1.0, 1, 0.8))
    assert finding.verdict == "violated"
    assert 0.8 < finding.bound <= 1.0
    assert own(Cauchy(1.0, 16, 1.0)).verdict == "violated"
    assert analytic_finding(Cauchy(1.0, 1, 0.8), replace(EUCLIDEAN, delta=0.1)) is None
