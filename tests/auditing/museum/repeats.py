"""Noise that comes again: over workers, objects, calls, words. Only NumPy is needed, so that new processes begin fast.

Each broken class and its twin are called with one vector and return a noisy one.
"""

from __future__ import annotations

import hashlib

import numpy as np


class Fresh:
    """The twin of all of them: new noise from the operating system in every call, added on multiples of 2^-20."""

    def __init__(self, epsilon: float = 1.0) -> None:
        self.epsilon = epsilon

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return self.noisy(x, np.random.default_rng())

    def noisy(self, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        noise = rng.laplace(scale=1 / self.epsilon, size=x.shape)
        return (np.rint(x * 2**20) + np.rint(noise * 2**20)) / 2**20


class Inherited(Fresh):
    """NumPy's own generator, which forked workers inherit as it stands."""

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return self.noisy(x, np.random)


class DefaultSeed(Fresh):
    """A generator with the seed that is the default, and printed in the manual."""

    def __init__(self, epsilon: float = 1.0, seed: int = 42) -> None:
        super().__init__(epsilon)
        self._rng = np.random.default_rng(seed)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return self.noisy(x, self._rng)


class SeededByInput(Fresh):
    """Noise whose seed is a function of what it protects."""

    def __call__(self, x: np.ndarray) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(x.tobytes()).digest()[:8])
        return self.noisy(x, np.random.default_rng(seed))


class Remembered(Fresh):
    """Noise that is drawn once for an input and kept."""

    def __init__(self, epsilon: float = 1.0) -> None:
        super().__init__(epsilon)
        self._kept: dict[bytes, np.ndarray] = {}

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return self._kept.setdefault(x.tobytes(), super().__call__(x))


class FloatSum(Fresh):
    """Noise added in floating point."""

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return x + np.random.default_rng().laplace(scale=1 / self.epsilon, size=x.shape)
