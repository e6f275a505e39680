"""The laws of our mechanisms as an outsider can check them: outputs for public inputs against what they should be."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import numpy as np

from textveil.auditing.goodness import Floats, binomial, kolmogorov, two_sided
from textveil.auditing.outputs import repeated
from textveil.auditing.sampler_checks import (
    Check,
    choice_checks,
    coordinate_checks,
    direction_checks,
    normal_checks,
    radial_checks,
)
from textveil.mechanisms.clipped_laplace import ClippedLaplace
from textveil.mechanisms.coordinate_laplace import CoordinateLaplace
from textveil.mechanisms.deep_candidate import DeepCandidate
from textveil.mechanisms.document_means import AveragedPrivUnit, GaussianMean, TruncatedMean
from textveil.mechanisms.gaussian import Gaussian
from textveil.mechanisms.hyperbolic import HyperbolicLaplace
from textveil.mechanisms.jaccard import Jaccard
from textveil.mechanisms.laplace import Laplace
from textveil.mechanisms.mahalanobis import Mahalanobis
from textveil.mechanisms.nadp import Nadp
from textveil.mechanisms.privemb import PrivEmb
from textveil.mechanisms.privunit import PrivUnit
from textveil.mechanisms.public_response import PublicResponse
from textveil.mechanisms.words import WordMechanism
from textveil.randomness import RandomSource
from textveil.spaces.hyperbolic import Polar, distance

# Points of the ball are floats: their distances are right to this, as far out as noise goes.
_HYPERBOLIC_SLACK = 1e-5
# PrivUnit rounds outputs by less, and lifts its inputs by less, than this, in units of a release.
_UNIT_SLACK = 2.0**-13


@singledispatch
def sampler_checks(mechanism: Any, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    """Return what `count` outputs of a public input say about a mechanism whose law is known; nothing for others."""
    return iter(())


@sampler_checks.register
def _laplace(mechanism: Laplace, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    if mechanism.normalise:
        return
    lattice = mechanism.lattice
    noise = _outputs(mechanism, value, count, source) - lattice.to_vectors(lattice.snap(value))
    yield from radial_checks(noise, mechanism.scale, _rounding(lattice.step, mechanism.dimension))


@sampler_checks.register
def _mahalanobis(mechanism: Mahalanobis, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    values, vectors = np.linalg.eigh(mechanism.matrix)
    whitened = (_outputs(mechanism, value, count, source) - value) @ (vectors / np.sqrt(values)) @ vectors.T
    # The input is rounded to the lattice as well as the noise.
    slack = 2.1 * _rounding(mechanism.lattice.step, mechanism.dimension)
    yield from radial_checks(whitened, mechanism._noise.scale, slack)


@sampler_checks.register
def _projected(mechanism: PrivEmb, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    centre = mechanism._projected(mechanism._check(np.asarray(value)))[0]
    noise = _outputs(mechanism, value, count, source) - centre
    step = 0.0 if mechanism.certificate is None else mechanism.certificate.lattice.step
    yield from radial_checks(noise, mechanism.scale, 2.1 * _rounding(step, mechanism.released_dimension))


@sampler_checks.register
def _clipped(mechanism: ClippedLaplace, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    step = mechanism.lattice.step
    centre = mechanism.lattice.to_vectors(mechanism._rounded(mechanism._clipped(np.atleast_2d(value))))
    noise = _outputs(mechanism, value, count, source) - centre
    if mechanism.variant == "radial":
        return radial_checks(noise, mechanism.scale, _rounding(step, mechanism.dimension))
    return coordinate_checks(noise, np.array([mechanism.scale]), np.array([step]))


@sampler_checks.register
def _coordinates(mechanism: CoordinateLaplace, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    lattice = mechanism.lattice
    noise = _outputs(mechanism, value, count, source) - lattice.to_vectors(lattice.snap(value))
    return coordinate_checks(noise, np.array([1 / mechanism.epsilon]), np.array([lattice.step]))


@sampler_checks.register
def _box(mechanism: TruncatedMean, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    step = mechanism.lattice.step
    noise = _outputs(mechanism, value, count, source) * len(value) - mechanism.inside(value).sum(axis=0) * step
    return coordinate_checks(noise, np.asarray(mechanism.scales * step), np.full(mechanism.dimension, step))


@sampler_checks.register
def _gaussian(mechanism: Gaussian, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    lattice = mechanism.lattice
    noise = _outputs(mechanism, value, count, source) - lattice.to_vectors(lattice.snap(value))
    return normal_checks(noise, mechanism._deviation, lattice.step)


@sampler_checks.register
def _mean(mechanism: GaussianMean, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    noise = _outputs(mechanism, value, count, source) * len(value) - mechanism.inside(np.asarray(value)).sum(axis=0)
    return normal_checks(noise, mechanism.noise._deviation, mechanism.noise.lattice.step)


@sampler_checks.register(Nadp)
@sampler_checks.register(Jaccard)
def _neighbourhood(mechanism: Any, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    vocabulary = mechanism.vocabulary
    word = int(vocabulary.ids([value])[0])
    outputs = _outputs(mechanism, value, count, source)
    if isinstance(mechanism, Jaccard) or mechanism.variant in ("published", "radius"):
        deviation = float(mechanism.deviations[word])
        if deviation > 0:
            return normal_checks(outputs - vocabulary.points[word], deviation, vocabulary.step)
    if isinstance(mechanism, Nadp) and mechanism.variant == "word":
        return choice_checks(vocabulary.nearest(outputs), mechanism.transition_rows(np.array([word]))[0], word)
    return iter(())


@sampler_checks.register
def _hyperbolic(mechanism: HyperbolicLaplace, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    if mechanism.variant != "repaired":
        return
    outputs = _outputs(mechanism, value, count, source)
    radii = distance(Polar.of_ball(outputs), Polar.of_ball(np.tile(value, (count, 1))))
    sides = kolmogorov(radii, lambda r: mechanism.radius_law.cdf(np.maximum(r, 0.0)), _HYPERBOLIC_SLACK)
    yield Check("the law of the distance", *sides, count)
    if not np.any(value):
        yield from direction_checks(outputs, _HYPERBOLIC_SLACK)


@sampler_checks.register
def _privunit(mechanism: PrivUnit, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    return _cap_checks(mechanism, value, _outputs(mechanism, value, count, source))


@sampler_checks.register
def _averaged(mechanism: AveragedPrivUnit, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    if len(value) > 1:
        return iter(())
    return _cap_checks(mechanism.each, value[0], _outputs(mechanism, value, count, source))


@sampler_checks.register
def _words(mechanism: WordMechanism, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    """Compare the words released with the rows that are declared, for any mechanism that declares them."""
    if not hasattr(mechanism, "transition_rows"):
        return iter(())
    vocabulary = mechanism.vocabulary
    word = int(vocabulary.ids([value])[0])
    chosen = vocabulary.ids(list(mechanism.release([value] * count, source=source)))
    return choice_checks(chosen, mechanism.transition_rows(np.array([word]))[0], word)


@sampler_checks.register
def _response(mechanism: PublicResponse, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    law = mechanism.transition_rows(value)[0]
    chosen = mechanism.release_indices(np.tile(value, (count, 1)), source=source)
    yield from choice_checks(chosen, law, int(law.argmax()))
    near = law > law.min()
    sides = binomial(int(near[chosen].sum()), count, float(min(1.0, law[near].sum())))
    yield Check("how often one of the nearest comes", sides.larger, sides.smaller, count)


@sampler_checks.register
def _deep(mechanism: DeepCandidate, value: Any, count: int, source: RandomSource | None) -> Iterator[Check]:
    law = mechanism.law(value)
    chosen = np.array([one.index for one in mechanism.release(repeated(value, count), source=source)])
    return choice_checks(chosen, law, int(law.argmax()))


def _cap_checks(mechanism: PrivUnit, value: Floats, outputs: Floats) -> Iterator[Check]:
    """Check how far outputs lie along the input: on the cap no more often than e^epsilon allows, and evenly there."""
    from scipy.special import betainc

    length = float(np.linalg.norm(value))
    if mechanism.domain == "ball" and length < mechanism.clip * (1 - 1e-12):
        return
    cap, along = mechanism.cap, outputs @ (np.asarray(value) / length) / mechanism._scale
    on, off = (float(weight) for weight in mechanism._weight(np.array([cap.gamma, -1.0])))

    def cdf(t: Floats) -> Floats:
        uniform = betainc(cap.shape, cap.shape, np.clip((1 + t) / 2, 0.0, 1.0))
        return np.where(t < cap.gamma, off * uniform, 1 - on * (1 - uniform))

    inside = int((along >= cap.gamma + _UNIT_SLACK).sum())
    yield Check(
        "how often the cap is hit", binomial(inside, len(along), min(1.0, on * cap.mass)).larger, 1.0, len(along)
    )
    yield Check("the law along the input", 1.0, two_sided(kolmogorov(along, cdf, _UNIT_SLACK)), len(along))


def _outputs(mechanism: Any, value: Any, count: int, source: RandomSource | None) -> Floats:
    return np.asarray(mechanism.release(repeated(value, count), source=source), dtype=np.float64)


def _rounding(step: float, dimension: int) -> float:
    """Bound how far rounding to the lattice moves a vector, with room for noise that is drawn on it."""
    return step * math.sqrt(dimension)
