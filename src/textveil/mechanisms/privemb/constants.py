"""How much a projection can stretch: a bound for the matrix at hand, and tail bounds for one not yet drawn (SPEC 2.3).

Proofs: docs/mechanisms/privemb.md, claims 2 and 7.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.noise.gaussian_curve import LEAST_DELTA
from textveil.spaces.widths import mean_norm

# Matrices from linear algebra are rounded to this, so that their digest is the same on every machine.
FINENESS = 2.0**-20
_UNIT = 2.0**-53
# Quantiles and means of the norm come from functions that are right to some ten digits.
_ROUNDING = 1 + 1e-9


def operator_norm(gram: NDArray[np.float64], additions: int) -> float:
    """Return an upper bound of sigma_max(A) from A A^T in float64, each entry of it the end of so many additions.

    Cholesky's algorithm ending on b I - A A^T proves that b is above the largest eigenvalue, up to rounding that is
    bounded; the eigenvalues of the linear algebra library only say where to try.
    """
    target = len(gram)
    trace = float(np.trace(gram))
    step = 4 * target * _UNIT
    bound = float(np.linalg.eigvalsh(gram)[-1])
    while True:
        bound *= 1 + step
        try:
            np.linalg.cholesky(bound * np.eye(target) - gram)
        except np.linalg.LinAlgError:
            step *= 2
            continue
        break
    # What Cholesky may miss (Rump 2006), what summing the products may (any order), and the trace's own error.
    missed = 2 * (target + 3) * _UNIT * target * bound + 2 * (additions + 8) * _UNIT * trace
    return math.sqrt(bound + missed) * (1 + 1e-12)


def gaussian_stretch(target: int, pairs: float, delta: float) -> float:
    """What i.i.d. N(0, 1/m) stretches none of `pairs` fixed pairs beyond, except with probability delta."""
    from scipy.special import gammainccinv

    return math.sqrt(2 * float(gammainccinv(target / 2, delta / pairs)) / target)


def haar_stretch(target: int, dimension: int, pairs: float, delta: float) -> float:
    """What orthonormal Haar rows stretch none of `pairs` fixed pairs beyond, except with probability delta."""
    from scipy.special import betainccinv

    if target == dimension:
        return 1.0
    return math.sqrt(float(betainccinv(target / 2, (dimension - target) / 2, delta / pairs)))


def width_stretch(target: int, width: float, delta: float) -> float:
    """What i.i.d. N(0, 1/m) stretches no unit secant of a set of this Gaussian width beyond (Gordon)."""
    return (mean_norm(target) + width + math.sqrt(2 * math.log(1 / delta))) / math.sqrt(target)


def gaussian_norm(target: int, dimension: int, delta: float) -> float:
    """What i.i.d. N(0, 1/m) stretches nothing at all beyond, except with probability delta."""
    return 1 + math.sqrt(dimension / target) + math.sqrt(2 * math.log(1 / delta) / target)


def stretch_before_drawing(
    name: str, target: int, dimension: int, *, delta: float, points: int | None, width: float | None
) -> float:
    """Return what a projection yet to be drawn stretches no pair beyond, except with probability delta.

    Parameters
    ----------
    name : "gaussian" or "haar"
    target, dimension : of the projection
    delta : over the draw of the projection
    points : how many points there are, if they are a finite set fixed before the draw
    width : Gaussian width of their normalised differences, if that is known instead
    """
    if name not in ("gaussian", "haar"):
        raise InvalidInputError(
            f'certify="probabilistic" is for projection="gaussian" or "haar" (got {name!r}); '
            'use certify="operator" or "secants"'
        )
    if width is not None and name == "haar":
        raise InvalidInputError('width is for projection="gaussian"; leave it out for "haar"')
    if delta < LEAST_DELTA:
        raise InvalidInputError(
            f"delta must be at least {LEAST_DELTA:g} (got {delta:g}): below it no bound is computed"
        )
    pairs = None if points is None else math.comb(points, 2)
    if name == "gaussian":
        if width is not None:
            found = width_stretch(target, width, delta)
        elif pairs is not None:
            found = gaussian_stretch(target, pairs, delta)
        else:
            found = gaussian_norm(target, dimension, delta)
        return found * _ROUNDING
    found = 1.0 if pairs is None else haar_stretch(target, dimension, pairs, delta)
    return found * _ROUNDING + FINENESS / 2 * math.sqrt(target * dimension)
