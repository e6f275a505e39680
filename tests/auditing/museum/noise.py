"""Noise on vectors: the wrong law, the wrong scale, the wrong distance."""

from __future__ import annotations

import math

import numpy as np
from tests.auditing.museum.exhibit import (
    Exhibit,
    between_any,
    by_checks,
    by_sampling,
    by_the_curve,
    l2_laplace,
    per_distance,
    radial,
    within,
)

import textveil as tv
from textveil.noise.gaussian_curve import gaussian_scale


def diagonal(dimension: int, length: float) -> np.ndarray:
    return np.full(dimension, length / math.sqrt(dimension))


def axis(dimension: int, length: float) -> np.ndarray:
    return np.eye(dimension)[0] * length


def added(draw):
    """Make a mechanism of a way to draw noise: rng -> (x -> x + noise)."""
    return lambda rng: lambda x: x + draw(rng)


def clipped(x: np.ndarray, most: float = 1.0) -> np.ndarray:
    return x * min(1.0, most / max(np.linalg.norm(x), 1e-300))


def clip_then_laplace(dimension: int, scale: float):
    return lambda rng: lambda x: clipped(x) + rng.laplace(scale=scale, size=dimension)


class GaussianNoise:
    """Gaussian noise that tells its deviation."""

    def __init__(self, deviation: float, rng: np.random.Generator) -> None:
        self.deviation = deviation
        self._rng = rng

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return x + self._rng.normal(scale=self.deviation, size=x.shape)


def truncated_laplace(rng: np.random.Generator, dimension: int, scale: float, most: float) -> np.ndarray:
    """Laplace noise that is drawn again where it passes `most`."""
    noise = rng.laplace(scale=scale, size=dimension)
    while (far := np.abs(noise) > most).any():
        noise[far] = rng.laplace(scale=scale, size=far.sum())
    return noise


CLIPPED = 32
ADEPT = Exhibit(
    name="a clip in l2 with the noise of l1",
    shipped="ADePT (Krishna et al. 2021); privrag-guard",
    flaw="Two vectors of length C can be 2 C sqrt(n) apart in l1, so Laplace(2C/eps) is only sqrt(n) eps private.",
    broken=clip_then_laplace(CLIPPED, 2.0),
    twin=clip_then_laplace(CLIPPED, 2.0 * math.sqrt(CLIPPED)),
    examine=by_sampling(between_any(1.0), diagonal(CLIPPED, -1), diagonal(CLIPPED, 1), 2.0, 8000),
    caught_by="black box",
)

COORDINATES = Exhibit(
    name="Laplace noise in each coordinate, claimed for Euclidean distance",
    shipped="a common reading of metric privacy",
    flaw="Noise Laplace(1/eps) in each coordinate is eps private in l1, which is up to sqrt(n) times the l2 distance.",
    broken=added(lambda rng: rng.laplace(size=CLIPPED)),
    twin=added(lambda rng: l2_laplace(rng, CLIPPED, 1.0)),
    examine=by_sampling(per_distance(1.0), diagonal(CLIPPED, -1), diagonal(CLIPPED, 1), 2.0, 8000),
    caught_by="black box",
)

# Two words on the diagonal, and four around the first that cut out the quadrant beyond it.
CORNER = np.array([[75, 75], [-75, -75], [77, 77], [73, 77], [77, 73], [73, 73]]) / 100


def nearest_word(draw):
    """Make a mechanism for words of a way to draw noise: the word nearest to the noisy vector."""

    def made(rng):
        return lambda word: "abcdef"[np.square(CORNER - CORNER["abcdef".index(word)] - draw(rng)).sum(axis=1).argmin()]

    return made


RELABELLED = Exhibit(
    name="noise for l1 under the nearest word, claimed for the words' Euclidean distance",
    shipped="an earlier NearestWord of this library, around CoordinateLaplace",
    flaw="The word takes over the epsilon of its noise, and the metric is written anew: it is sqrt(n) times too small.",
    broken=nearest_word(lambda rng: rng.laplace(size=2)),
    twin=nearest_word(lambda rng: l2_laplace(rng, 2, 1.0)),
    examine=by_sampling(per_distance(1.0, unit=tv.Unit.WORD), "a", "b", 1.5 * math.sqrt(2), 8000),
    caught_by="black box",
)

BART = 64
CLIP_RANGE = Exhibit(
    name="a clip that is wider than the sensitivity",
    shipped="neural rewriters (seen among dp-bart, DP-Rewrite, DPMLM, PrivFill)",
    flaw="n coordinates are clipped to [-C, C] each, so that inputs are up to 2 C sqrt(n) apart; noise is scaled to C.",
    broken=lambda rng: lambda x: np.clip(x, -1, 1) + rng.normal(scale=gaussian_scale(1.0, 1e-5), size=BART),
    twin=lambda rng: (
        lambda x: np.clip(x, -1, 1) + rng.normal(scale=2 * math.sqrt(BART) * gaussian_scale(1.0, 1e-5), size=BART)
    ),
    examine=by_sampling(between_any(1.0, 1e-5), -np.ones(BART), np.ones(BART), 2 * math.sqrt(BART), 400),
    caught_by="black box",
)

CLASSICAL = Exhibit(
    name="the classical Gaussian formula at epsilon 20",
    shipped="neural rewriters (at epsilon 250)",
    flaw="sigma = sqrt(2 ln(1.25 / delta)) / eps is proved below epsilon 1 and false from 8.4 on (at delta 1e-5): here "
    "delta is 153 times the one claimed.",
    broken=lambda rng: GaussianNoise(math.sqrt(2 * math.log(1.25e5)) / 20, rng),
    twin=lambda rng: GaussianNoise(gaussian_scale(20.0, 1e-5), rng),
    examine=by_the_curve(within(1.0, 20.0, 1e-5)),
    caught_by="analytic",
)

RADIUS = Exhibit(
    name="a radius from the exponential law",
    shipped="implementations of multivariate metric privacy",
    flaw="In n dimensions the radius is Gamma(n, 1/eps); an exponential one has infinite density at the input.",
    broken=added(lambda rng: radial(rng, 3, rng.exponential())),
    twin=added(lambda rng: l2_laplace(rng, 3, 1.0)),
    examine=by_sampling(per_distance(1.0), np.zeros(3), axis(3, 1.0), 1.0, 2000),
    caught_by="black box",
)

SWAPPED = Exhibit(
    name="rate and scale exchanged",
    shipped="implementations that hand epsilon to a library's `scale`",
    flaw="A Gamma law with scale eps instead of 1/eps gives epsilon 4 where .25 is claimed.",
    broken=added(lambda rng: l2_laplace(rng, 2, 0.25)),
    twin=added(lambda rng: l2_laplace(rng, 2, 4.0)),
    examine=by_sampling(per_distance(0.25), np.zeros(2), axis(2, 1.0), 1.0, 400),
    caught_by="black box",
)

SYMMETRIC = Exhibit(
    name="the symmetric multivariate Laplace law",
    shipped="libraries whose multivariate Laplace is sqrt(Exponential) x Gaussian",
    flaw="Its density is infinite at the input from two dimensions on, so that no epsilon holds.",
    broken=added(lambda rng: math.sqrt(2 * rng.exponential()) * rng.normal(size=5)),
    twin=added(lambda rng: math.sqrt(2 * rng.gamma(3.0)) * rng.normal(size=5)),
    examine=by_sampling(per_distance(1.0), np.zeros(5), axis(5, 1.0), 1.0, 8000),
    caught_by="black box",
)

STRETCH = np.array([1.99, 0.01])
MAHALANOBIS = Exhibit(
    name="Mahalanobis noise, made as long as plain noise",
    shipped="pyPANTERA",
    flaw="Stretched directions are brought back to length 1, so that long axes get too little noise for the metric.",
    broken=added(lambda rng: brought_to_length(rng, STRETCH)),
    twin=added(lambda rng: np.sqrt(STRETCH) * l2_laplace(rng, 2, 1.0)),
    examine=by_sampling(
        per_distance(1.0, "Mahalanobis distance"), axis(2, -math.sqrt(1.99)), axis(2, math.sqrt(1.99)), 2.0, 16000
    ),
    caught_by="black box",
)


def brought_to_length(rng: np.random.Generator, stretch: np.ndarray) -> np.ndarray:
    direction = np.sqrt(stretch) * rng.normal(size=len(stretch))
    return rng.gamma(len(stretch)) * direction / np.linalg.norm(direction)


TRUNCATED = Exhibit(
    name="Laplace noise that is cut off",
    shipped="recipes that keep noisy values in a range around the input",
    flaw="Outputs beyond the cut are possible from one input and impossible from another: the loss is infinite.",
    broken=added(lambda rng: truncated_laplace(rng, 2, 1.0, 2.0)),
    twin=added(lambda rng: rng.laplace(size=2)),
    examine=by_sampling(per_distance(1.0, "l1 distance"), np.zeros(2), axis(2, 1.0), 1.0, 4000),
    caught_by="black box",
)


def in_the_disc(rng: np.random.Generator, epsilon: float) -> np.ndarray:
    """A point of the unit disc with density proportional to exp(-epsilon x hyperbolic distance from 0)."""
    while True:
        radius = math.sqrt(rng.random())
        if rng.random() < ((1 - radius) / (1 + radius)) ** epsilon:
            return radial(rng, 2, radius)


def translated(rng: np.random.Generator, x: np.ndarray, epsilon: float) -> np.ndarray:
    """Hyperbolic noise moved to x by an isometry of the disc: its radius r has e^(-2r) ~ Beta((epsilon - 1) / 2, 2)."""
    r = -0.5 * math.log(rng.beta((epsilon - 1) / 2, 2))
    z, a = complex(*radial(rng, 2, math.tanh(r / 2))), complex(*x)
    moved = (z + a) / (1 + a.conjugate() * z)
    return np.array([moved.real, moved.imag])


HYPERBOLIC = Exhibit(
    name="hyperbolic noise added as in flat space",
    shipped="Feyisetan et al. 2019, hyperbolic embeddings",
    flaw="Noise that lives in the ball is added to the point: the sum leaves the ball where other inputs never reach.",
    broken=lambda rng: lambda x: x + in_the_disc(rng, 1.5),
    twin=lambda rng: lambda x: translated(rng, x, 1.5),
    examine=by_sampling(per_distance(1.5, "hyperbolic distance"), axis(2, 0.7), np.zeros(2), 2 * math.atanh(0.7), 8000),
    caught_by="black box",
)


def chain(rng: np.random.Generator, dimension: int, epsilon: float, steps: int = 50) -> np.ndarray:
    """Where a Metropolis chain that begins at 0 first goes: its proposals are so far out that it stays."""
    proposed = rng.normal(size=(steps, dimension))
    length = np.linalg.norm(proposed, axis=1)
    radius = length / (1 + np.sqrt(1 + length**2))
    moves = np.flatnonzero(rng.random(steps) < ((1 - radius) / (1 + radius)) ** epsilon)
    return np.zeros(dimension) if len(moves) == 0 else proposed[moves[0]] * (radius / length)[moves[0]]


MANY = 100
CHAIN = Exhibit(
    name="a Markov chain that never moves",
    shipped="Feyisetan et al. 2019, hyperbolic embeddings",
    flaw="Noise comes from a chain that begins at 0 and, in 100 dimensions, refuses every step: there is no noise.",
    broken=lambda rng: lambda x: x + chain(rng, MANY, 110.0),
    twin=lambda rng: tv.HyperbolicLaplace(epsilon=110.0, dimension=MANY),
    examine=by_checks(per_distance(110.0, "hyperbolic distance"), [axis(MANY, 0.3), axis(MANY, 0.1)]),
    caught_by="inputs that come out unchanged",
)

EXHIBITS = (
    ADEPT,
    COORDINATES,
    RELABELLED,
    CLIP_RANGE,
    CLASSICAL,
    RADIUS,
    SWAPPED,
    SYMMETRIC,
    MAHALANOBIS,
    TRUNCATED,
    HYPERBOLIC,
    CHAIN,
)
