"""What stands in the museum: a mechanism that was published or shipped broken, its claim, and its correct twin."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import textveil as tv
from textveil.auditing.black_box import black_box_findings
from textveil.auditing.exact import exact_finding
from textveil.auditing.promises import conclude
from textveil.auditing.report import Finding, Method
from textveil.auditing.surroundings import check_surroundings
from textveil.guarantees import Guarantee, Pairs, Relation, Unit, local_privacy, metric_privacy
from textveil.noise.gaussian_curve import gaussian_delta

# The chance that a correct twin is accused, in each of the examinations.
ALPHA = 1e-6

Maker = Callable[[np.random.Generator], Any]
Examination = Callable[[Any, np.random.Generator], list[Finding]]


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """A broken mechanism and its twin, which the same examination must tell apart.

    Parameters
    ----------
    name : what it is called in the museum
    shipped : who published or shipped it
    flaw : why it is wrong, in one sentence
    broken, twin : make the two, given where their noise comes from
    examine : the audit, given what is audited
    caught_by : the name of the finding that accuses
    """

    name: str
    shipped: str
    flaw: str
    broken: Maker
    twin: Maker
    examine: Examination
    caught_by: str


def by_sampling(claim: Guarantee, x: Any, y: Any, distance: float | None, samples: int) -> Examination:
    """Compare the outputs of two inputs."""

    def examine(subject, rng):
        source = tv.RandomSource.seeded(int(rng.integers(2**31)))
        pair = (x, y, distance)
        return black_box_findings(subject, claim, [pair], alpha=ALPHA, samples=samples, source=source)

    return examine


def by_checks(claim: Guarantee, inputs: list[Any], *, factory: Any = None, **more: Any) -> Examination:
    """Look for what breaks privacy around the noise."""

    def examine(subject, rng):
        source = tv.RandomSource.seeded(int(rng.integers(2**31)))
        made = None if factory is None else (lambda epsilon: factory(type(subject), epsilon))
        return check_surroundings(subject, inputs, alpha=ALPHA, claim=claim, factory=made, source=source, **more)

    return examine


def by_the_table(claim: Guarantee) -> Examination:
    """Look at every pair and every output of a finite law."""
    return lambda subject, rng: [exact_finding(subject, claim)]


def by_the_curve(claim: Guarantee) -> Examination:
    """Compute delta of Gaussian noise, whose deviation the subject tells, at the epsilon claimed."""

    def examine(subject, rng):
        delta = gaussian_delta(claim.epsilon, claim.relation.radius / subject.deviation)
        bound = math.inf if delta > claim.delta * (1 + 1e-9) else claim.epsilon
        name = "the delta of Gaussian noise"
        told = f"At epsilon {claim.epsilon:g} delta is {delta:.3g}."
        return [conclude(claim, name=name, method=Method.ANALYTIC, bound=bound, because=told, escaped=delta)]

    return examine


def per_distance(epsilon: float, metric: str = "Euclidean distance", unit: Unit = Unit.VECTOR) -> Guarantee:
    return metric_privacy(epsilon, metric=metric, unit=unit)


def between_any(epsilon: float, delta: float = 0.0, unit: Unit = Unit.VECTOR) -> Guarantee:
    return local_privacy(epsilon, delta=delta, unit=unit)


def within(radius: float, epsilon: float, delta: float) -> Guarantee:
    relation = Relation(pairs=Pairs.WITHIN, metric="Euclidean distance", radius=radius)
    return Guarantee(epsilon=epsilon, delta=delta, unit=Unit.VECTOR, relation=relation)


def radial(rng: np.random.Generator, dimension: int, radius: float) -> np.ndarray:
    """A vector of this length in a random direction."""
    direction = rng.normal(size=dimension)
    return radius * direction / np.linalg.norm(direction)


def l2_laplace(rng: np.random.Generator, dimension: int, scale: float) -> np.ndarray:
    """Noise with density proportional to exp(-|z| / scale)."""
    return radial(rng, dimension, rng.gamma(dimension, scale))
