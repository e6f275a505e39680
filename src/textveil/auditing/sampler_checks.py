"""What is known about the outputs of a sampler, and what outputs say about it.

A check compares outputs with one property of the law. It tells apart outputs that are nearer to the input than the law
has them, which costs privacy, and any other difference, which takes the ground from under the proof.
Proofs: docs/auditing-by-sampling.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.auditing.goodness import Floats, Sides, binomial, choices, gamma_sum, kolmogorov, two_sided


@dataclass(frozen=True)
class Check:
    """What outputs say about one property of a law.

    Parameters
    ----------
    name : the property
    nearer : p-value that outputs are nearer to the input than the law has them
    other : p-value of any other difference
    samples : how many outputs were looked at
    total : for l2-Laplace noise its summed norms, from which epsilon is bounded
    shape : of the Gamma law of that sum
    """

    name: str
    nearer: float
    other: float
    samples: int
    total: float = np.nan
    shape: float = np.nan


def radial_checks(noise: Floats, scale: float, slack: float) -> Iterator[Check]:
    """Check l2-Laplace noise (n, m): norms are Gamma(m, scale), directions uniform, and no axis is left out.

    Parameters
    ----------
    noise : output - input, where nothing but rounding separates it from the law
    scale : of the law
    slack : how far rounding may have moved a noise vector
    """
    from scipy.special import gammainc

    count, dimension = noise.shape
    norms, off = np.linalg.norm(noise, axis=1) / scale, slack / scale
    total = float(norms.sum())
    sides = gamma_sum(total, count * dimension, count * off)
    yield Check("the sum of the norms", *sides, count, total * scale, count * dimension)
    sides = kolmogorov(norms, lambda r: np.asarray(gammainc(dimension, np.maximum(r, 0.0))), off)
    yield Check("the law of the norm", *sides, count)
    yield from direction_checks(noise, 2 * off)
    if dimension > 1:
        # What is left of private noise along any axis is private noise of one dimension, if not less than that.
        for axis in sorted({0, dimension - 1}):
            sides = kolmogorov(np.abs(noise[:, axis]) / scale, _exponential, off)
            yield Check(f"the noise along axis {axis}", sides.smaller, 1.0, count)


def direction_checks(noise: Floats, slack: float) -> Iterator[Check]:
    """Check that no direction is preferred: angles of pairs of coordinates are uniform, or the sign of one is fair.

    Parameters
    ----------
    noise : shape (n, m)
    slack : how much rounding may move the share of angles below any
    """
    count, dimension = noise.shape
    half = dimension // 2
    signs = noise[noise != 0]
    if signs.size and dimension == 1:
        fair = binomial(int((signs > 0).sum()), signs.size, 0.5)
        yield Check("the sign of the noise", 1.0, two_sided(fair), count)
    if half:
        angles = np.arctan2(noise[:, :half], noise[:, half : 2 * half]) / (2 * np.pi) + 0.5
        sides = kolmogorov(angles, lambda t: np.clip(t, 0.0, 1.0), slack)
        yield Check("the directions of the noise", 1.0, two_sided(sides), count)


def coordinate_checks(noise: Floats, scales: Floats, slack: Floats) -> Iterator[Check]:
    """Check Laplace noise that is independent in each coordinate: sizes are exponential, signs fair.

    Parameters
    ----------
    noise, scales, slack : shape (n, m), and the scale and the rounding of each coordinate
    """
    count = len(noise)
    sizes, off = np.abs(noise) / scales, float((slack / scales).max())
    total = float(sizes.sum())
    yield Check("the summed size of the noise", *gamma_sum(total, sizes.size, sizes.size * off), count)
    yield Check("the law of the noise in a coordinate", *kolmogorov(sizes, _exponential, off), count)
    signs = noise[noise != 0]
    fair = binomial(int((signs > 0).sum()), signs.size, 0.5)
    yield Check("the sign of the noise", 1.0, two_sided(fair), count)


def normal_checks(noise: Floats, deviation: float, slack: float) -> Iterator[Check]:
    """Check normal noise (n, m): its squares are chi-squared, its coordinates normal, none left out."""
    from scipy.special import ndtr

    count = len(noise)
    z, off = noise / deviation, slack / deviation
    length = float(np.linalg.norm(z))
    room = off * np.sqrt(z.size)
    sides = Sides(
        gamma_sum((length + room) ** 2 / 2, z.size / 2).smaller,
        gamma_sum(max(0.0, length - room) ** 2 / 2, z.size / 2).larger,
    )
    yield Check("the variance of the noise", *sides, count)
    fits = two_sided(kolmogorov(z, lambda t: np.asarray(ndtr(t)), off))
    yield Check("the law of the noise in a coordinate", 1.0, fits, count)


def choice_checks(chosen: NDArray[np.int64], law: Floats, likeliest: int) -> Iterator[Check]:
    """Check choices among finitely many: counts agree with the law, and the likeliest is not chosen more often.

    Parameters
    ----------
    chosen : numbers of what was chosen
    law : the probability of each
    likeliest : the one that tells most about the input
    """
    counts = np.bincount(chosen, minlength=len(law)).astype(np.float64)
    count = len(chosen)
    yield Check("the counts of the outputs", 1.0, choices(counts, law), count)
    sides = binomial(int(counts[likeliest]), count, float(min(1.0, law[likeliest])))
    yield Check("how often the likeliest output comes", sides.larger, sides.smaller, count)


def _exponential(size: Floats) -> Floats:
    return np.asarray(-np.expm1(-np.maximum(size, 0.0)))
