"""The grid of vectors that a release lives on: whole multiples of a power of two.

The private vector is snapped to the lattice, integer noise is added to its integers, and the sum is scaled
back: which outputs are possible then never depends on the data (SPEC 8.1). Integers are added; a float sum is
never rounded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import InvalidInputError, require_count, require_positive

Integers = NDArray[np.int64]

# Data and noise each stay within 2^52, so that their sum is a whole number that float64 holds exactly.
_LIMIT = 2.0**52
_FINENESS = 14
_LARGEST_EXPONENT = 500
_ERROR = 2e-14


@dataclass(frozen=True)
class Lattice:
    """Whole multiples of `step`, a power of two."""

    step: float

    def __post_init__(self) -> None:
        step = require_positive("step", self.step)
        mantissa, exponent = math.frexp(step)
        if mantissa != 0.5 or abs(exponent) > _LARGEST_EXPONENT:
            raise InvalidInputError(
                f"step must be a power of two within 2^+-{_LARGEST_EXPONENT} (got {step!r}); "
                "lattice_for(scale) chooses one"
            )
        object.__setattr__(self, "step", step)

    @property
    def metric(self) -> str:
        """The distance of rounded vectors in words."""
        return f"Euclidean distance of vectors rounded to multiples of 2^{round(math.log2(self.step))}"

    def snap(self, x: ArrayLike) -> Integers:
        """Return the integers of the lattice points nearest to `x`, ties to even; `x` is private."""
        return self._round(x, "values")

    def towards_zero(self, x: ArrayLike) -> NDArray[np.float64]:
        """Return the lattice points next to `x` towards zero in every coordinate: none is longer, in any norm."""
        return np.trunc(np.asarray(x, dtype=np.float64) / self.step) * np.float64(self.step)

    def to_integers(self, noise: ArrayLike) -> Integers:
        """Round continuous noise to the lattice; the integers are added to those of `snap`."""
        return self._round(noise, "noise")

    def add_there(self, x: Any, noise: Any) -> Any:
        """Return the lattice points of `x` plus those of continuous noise, both float64 tensors of torch."""
        whole, steps = (x / self.step).round(), (noise / self.step).round()
        self._require(bool((whole.abs() <= _LIMIT).all()), "values")
        self._require(bool((steps.abs() <= _LIMIT).all()), "noise")
        # Whole numbers up to 2^53 add without rounding in float64; the last 0 takes away the sign that a zero may have.
        return (whole + steps + 0.0) * self.step

    def to_vectors(self, integers: Integers) -> NDArray[np.float64]:
        """Return the lattice points of integers up to 2^53, without rounding."""
        return integers * np.float64(self.step)

    def _round(self, x: ArrayLike, name: str) -> Integers:
        with np.errstate(over="ignore", under="ignore"):
            scaled = np.rint(np.asarray(x, dtype=np.float64) / self.step)
        # Written so that NaN fails too.
        self._require(bool((np.abs(scaled) <= _LIMIT).all()), name)
        return scaled.astype(np.int64)

    def _require(self, is_within: bool, name: str) -> None:
        # The message must not quote what may be private.
        if not is_within:
            raise InvalidInputError(
                f"{name} must be finite and within 2^52 lattice steps of 0 ({_LIMIT * self.step:.3g}); "
                "remove NaN and infinities, rescale or clip"
            )


def lattice_for(scale: float) -> Lattice:
    """Choose the lattice for noise of this scale: scale / step is at least 2^14 and below 2^15."""
    _, exponent = math.frexp(require_positive("scale", scale))
    if abs(exponent - _FINENESS) > _LARGEST_EXPONENT:
        raise InvalidInputError(f"noise of scale {scale:.3g} can't be drawn; give an epsilon nearer to 1")
    return Lattice(math.ldexp(1.0, exponent - 1 - _FINENESS))


def float_slack(dimension: int, deviation: float, step: float) -> float:
    """Bound the total variation between float noise on the lattice and the ideal noise.

    The float sampler is the ideal one with uniforms moved to the middles of cells of width 2^-52 and values
    moved by a relative error below 2^-48. A coordinate lands in another cell of the lattice only if one of the borders
    between them, one every `step`, lies in the way; counting borders and cells gives less than 2e-14
    deviation / step, or less than 2e-14 where the deviation is below the step. Proof: docs/mechanisms/laplace.md,
    claim 9.

    The guarantee at loss L pays (1 + e^L) times this.

    Parameters
    ----------
    dimension : coordinates of the vector
    deviation : standard deviation of a coordinate
    step : of the lattice
    """
    cells = max(1.0, require_positive("deviation", deviation) / require_positive("step", step))
    return min(1.0, require_count("dimension", dimension) * cells * _ERROR)
