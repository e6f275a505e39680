"""Undo the noise by regression: the attacker has the mechanism and learns from releases of its own.

Ridge regression from released to original vectors is the best linear attack. It shrinks what is noise and keeps what is
not, so it is closer to the original than the release is; what is left of the original's variation tells how much.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError

Floats = NDArray[np.float64]

# Tried as shares of the mean variance of a released number; the one that does best on held-out releases is taken.
_SHRINKAGES = (1e-6, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0)
_HELD_OUT = 5


@dataclass(frozen=True)
class Inversion:
    """A fitted attack: original ~ mean + (released - mean) @ weights."""

    original_mean: Floats
    released_mean: Floats
    weights: Floats

    def __call__(self, released: Floats) -> Floats:
        """Return what the attacker takes the originals for."""
        return np.asarray(self.original_mean + (released - self.released_mean) @ self.weights)

    def explained(self, released: Floats, originals: Floats) -> float:
        """Return the share of the originals' variation that the attack finds: 1 for all, 0 for no more than the mean.

        Below 0 it is worse than the mean of what it learnt from.
        """
        missed = np.square(self(released) - originals).sum()
        return float(1 - missed / np.square(originals - self.original_mean).sum())


def invert(released: Floats, originals: Floats) -> Inversion:
    """Learn to undo a release.

    Parameters
    ----------
    released : (n, m), what the mechanism made of the attacker's own vectors, n >= 10
    originals : (n, d)
    """
    if len(released) != len(originals) or len(released) < 2 * _HELD_OUT:
        raise InvalidInputError(f"inversion learns from at least {2 * _HELD_OUT} pairs (got {len(released)})")
    held = np.arange(len(released)) % _HELD_OUT == 0
    fits = [_ridge(released[~held], originals[~held], shrinkage) for shrinkage in _SHRINKAGES]
    best = int(np.argmax([fit.explained(released[held], originals[held]) for fit in fits]))
    return _ridge(released, originals, _SHRINKAGES[best])


def _ridge(released: Floats, originals: Floats, shrinkage: float) -> Inversion:
    from scipy.linalg import solve

    original_mean, released_mean = originals.mean(axis=0), released.mean(axis=0)
    centred = released - released_mean
    gram = centred.T @ centred
    gram[np.diag_indices_from(gram)] += shrinkage * max(float(np.trace(gram)) / len(gram), np.finfo(float).tiny)
    weights = solve(gram, centred.T @ (originals - original_mean), assume_a="pos")
    return Inversion(original_mean, released_mean, np.asarray(weights))
