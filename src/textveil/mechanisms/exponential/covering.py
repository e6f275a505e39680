"""The covering programme (T15): how often words can be kept at all.

If P[y|x] is epsilon x distance private, then P[y|x] >= exp(-epsilon d(x,y)) P[y|y], and rows sum to one: the chances
c(y) = P[y|y] satisfy K c <= 1 with K = exp(-epsilon D). So no private law keeps more words than the linear programme

    maximise  reward . c   subject to  K c <= 1,  c >= 0          (its dual: minimise sum u, K u >= reward, u >= 0)

It is solved by an interior-point method (Mehrotra's predictor and corrector) whose linear systems are solved by
conjugate gradients, so that K is only ever multiplied by vectors. Any dual solution bounds what can be kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.progress import Step, progress

Floats = NDArray[np.float64]
Kernel = NDArray[np.floating[Any]]

_GAP = 5e-3
_ITERATIONS = 60
_STEPS = 60
_BLOCK = 512


@dataclass
class _Point:
    """Where the iteration is: primal c with slack s, dual u with slack z, and their products with K."""

    c: Floats
    s: Floats
    u: Floats
    z: Floats
    kc: Floats
    ku: Floats


def solve_cover(kernel: Kernel, reward: Floats) -> tuple[Floats, Floats]:
    """Return a primal and a dual solution, feasible up to the rounding of `kernel`, within 0.5% if it can.

    Parameters
    ----------
    kernel : K, symmetric, with ones on its diagonal; float32 or float64
    reward : what keeping each word is worth
    """
    at = _start(kernel, reward)
    best_c, best_u = np.zeros(len(reward)), reward.copy()
    with progress("keeping the most words", None) as step:
        for _ in range(_ITERATIONS):
            feasible_c = np.maximum(at.c, 0) / max(1.0, float(at.kc.max()))
            feasible_u = at.u + np.maximum(reward - at.ku, 0)
            best_c = max(best_c, feasible_c, key=lambda c: float(reward @ c))
            best_u = min(best_u, feasible_u, key=lambda u: float(u.sum()))
            value, centre = float(reward @ best_c), float(at.c @ at.z + at.s @ at.u) / (2 * len(reward))
            if best_u.sum() <= (1 + _GAP) * value or 2 * len(reward) * centre < 0.1 * _GAP * value:
                break
            _advance(kernel, reward, at, centre, step)
    return best_c, best_u


def _start(kernel: Kernel, reward: Floats) -> _Point:
    total = times(kernel, np.ones(len(reward)))
    c = 0.5 / total
    c /= max(1.0, 2 * float(times(kernel, c).max()))
    kc, u = times(kernel, c), np.minimum(1.0, 2 / total) * reward
    ku = times(kernel, u)
    return _Point(c=c, s=1 - kc, u=u, z=np.maximum(ku - reward, 0.1), kc=kc, ku=ku)


def _advance(kernel: Kernel, reward: Floats, at: _Point, centre: float, step: Step) -> None:
    """Move one step: predict without centring, then correct for the curvature that the prediction met."""
    w, q = at.u / at.s, at.z / at.c
    primal, dual = 1 - at.kc - at.s, reward - (at.ku - at.z)
    scale = _diagonal(kernel, w) + q

    def direction(aim: float, cz: Floats | float, su: Floats | float, start: Floats | None) -> tuple[Floats, ...]:
        r = primal - (aim / at.u - at.s) + su / at.u
        goal = dual + (aim / at.c - at.z) - cz / at.c + times(kernel, w * r)
        dc = _conjugate_gradients(kernel, w, q, scale, goal, start, step)
        kdc = times(kernel, dc)
        du = w * (kdc - r)
        dz = (aim - at.c * at.z - cz - at.z * dc) / at.c
        ds = (aim - at.s * at.u - su - at.s * du) / at.u
        return dc, ds, du, dz, kdc

    dc, ds, du, dz, _ = direction(0.0, 0.0, 0.0, None)
    a, b = _longest((at.c, dc), (at.s, ds)), _longest((at.u, du), (at.z, dz))
    ahead = float((at.c + a * dc) @ (at.z + b * dz) + (at.s + a * ds) @ (at.u + b * du)) / (2 * len(reward))
    dc, ds, du, dz, kdc = direction((ahead / centre) ** 3 * centre, dc * dz, ds * du, dc)
    a, b = _longest((at.c, dc), (at.s, ds)), _longest((at.u, du), (at.z, dz))
    at.c, at.s, at.kc = at.c + a * dc, at.s + a * ds, at.kc + a * kdc
    at.u, at.z = at.u + b * du, at.z + b * dz
    at.ku = times(kernel, at.u)


def _conjugate_gradients(
    kernel: Kernel, w: Floats, q: Floats, scale: Floats, goal: Floats, start: Floats | None, step: Step
) -> Floats:
    """Solve (K diag(w) K + diag(q)) x = goal, preconditioned by its diagonal."""

    def matrix(x: Floats) -> Floats:
        return times(kernel, w * times(kernel, x)) + q * x

    x = np.zeros(len(goal)) if start is None else start.copy()
    r = goal.copy() if start is None else goal - matrix(x)
    y = r / scale
    d, ry, enough = y.copy(), float(r @ y), 1e-4 * float(goal @ (goal / scale))
    for _ in range(_STEPS):
        if ry <= enough:
            break
        step()
        ad = matrix(d)
        a = ry / float(d @ ad)
        x += a * d
        r -= a * ad
        y = r / scale
        ry, before = float(r @ y), ry
        d = y + ry / before * d
    return x


def _longest(*moves: tuple[Floats, Floats]) -> float:
    """The longest step, at most 1, that keeps every value above zero."""
    shrinks = [float(np.min(-value[move < 0] / move[move < 0], initial=np.inf)) for value, move in moves]
    return min(1.0, 0.99 * min(shrinks))


def times(kernel: Kernel, vector: Floats) -> Floats:
    """K times a vector, in the precision of K."""
    product: Floats = (kernel @ vector.astype(kernel.dtype)).astype(np.float64)
    return product


def _diagonal(kernel: Kernel, w: Floats) -> Floats:
    """The diagonal of K diag(w) K."""
    v = w.astype(kernel.dtype)
    parts = [np.square(kernel[i : i + _BLOCK]) @ v for i in range(0, len(kernel), _BLOCK)]
    return np.concatenate(parts).astype(np.float64)
