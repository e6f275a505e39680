"""The noise of "Leveraging Hierarchical Representations for Preserving Privacy and Utility in Text" (2019), as printed.

Algorithm 2 walks a Metropolis-Hastings chain in the Poincaré ball towards the density (7), (2 / (1 - |x|) - 1)^-epsilon
by Euclidean volume. Its proposals are not symmetric and no correction is made, so the chain goes elsewhere; where it
is after a number of steps depends on the proposals rather than on epsilon. It is here to be looked at.
"""

from __future__ import annotations

import math

import numpy as np

from textveil.noise.transforms import Floats, fill_normals, uniforms
from textveil.randomness import Streams


def metropolis_noise(streams: Streams, dimension: int, epsilon: float, steps: int) -> Floats:
    """Return where the chain is after some steps from the origin, with proposals from N(x, I): one point an item.

    A proposal y goes to the hyperboloid as (sqrt(1 + |y|^2), y), and from there to y / (1 + sqrt(1 + |y|^2)).
    """
    at = np.zeros((len(streams), dimension))
    step, one = np.empty_like(at), np.ones(len(streams))
    for _ in range(steps):
        fill_normals(streams, one, step)
        away = at + step
        length = np.linalg.norm(away, axis=1)
        proposed = away / (1 + np.sqrt(1 + length**2))[:, None]
        log_ratio = log_height(proposed, epsilon) - log_height(at, epsilon)
        accepted = np.log(uniforms(streams.words(2)[:, :1])[:, 0]) <= log_ratio
        at[accepted] = proposed[accepted]
    return at


def log_height(points: Floats, epsilon: float) -> Floats:
    """Return the logarithm of density (7) without its constant."""
    norms = np.linalg.norm(points, axis=1)
    height: Floats = -epsilon * np.log(2 / (1 - norms) - 1)
    return height


def printed_constant(epsilon: float) -> float:
    """Return the constant Z of (7), which is that of one dimension whatever the dimension is."""
    from scipy.special import hyp2f1

    return float(2 * hyp2f1(1, epsilon, 2 + epsilon, -1)) / (1 + epsilon)


def first_acceptance(epsilon: float, dimension: int) -> float:
    """Return the chance that the chain leaves the origin in one step: the mean of e^(-epsilon arcsinh |y|)."""
    from scipy.integrate import quad

    def integrand(length: float) -> float:
        log_density = (dimension - 1) * math.log(length) - length**2 / 2
        return math.exp(log_density - epsilon * math.asinh(length) - log_scale)

    log_scale = (dimension / 2 - 1) * math.log(2) + math.lgamma(dimension / 2)
    centre = math.sqrt(dimension)
    return float(quad(integrand, max(1e-300, centre - 12), centre + 12, epsabs=0, epsrel=1e-10, limit=200)[0])
