"""Public weights of outputs: a(y) > 0 in P[y | x] ~ a(y) exp(-rate d(x,y)).

They may be given, one a word, or favour general words. In the Poincaré ball, where hierarchies are embedded, words near
the centre are general: of p words the p^.65 nearest to it weigh 1, and every other word a third of what it gives to
those together. So a special word stays with a chance of about 1/4, wherever it lies, and otherwise becomes one of the
general words that are near to it. Proof and measurements: docs/mechanisms/exponential.md.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.compiled import compiled_reduction, over_threads
from textveil.elementary import exponential
from textveil.errors import InvalidInputError
from textveil.immutable import read_only
from textveil.mechanisms.exponential.law import DEEPEST_IF_GENERAL
from textveil.spaces import Poincare
from textveil.vocabulary import Vocabulary

Floats = NDArray[np.float64]

# Kept calibrations are found by this name: it changes when the rule below does.
GENERAL_RULE = "general 1"
_GENERAL = 0.65
_OWN = 1 / 3
_SAMPLE = 1024
_BLOCK = 512


def general_weights(vocabulary: Vocabulary, epsilon: float, radius: float) -> Floats:
    """Return the weights that favour general words, for a law of about half of epsilon as its rate."""
    general = _general_words(vocabulary)
    points = vocabulary.points[general].astype(np.float64)

    def given_to_general(start: int) -> Floats:
        distances = vocabulary.space.distances(vocabulary.block(start, start + _BLOCK), points)
        sums = np.empty(len(distances))
        _kernel_sums(distances, epsilon / 2, radius, sums)
        return sums

    blocks = range(0, len(vocabulary), _BLOCK)
    weights = np.minimum(_OWN * np.concatenate(list(over_threads(given_to_general, blocks))), 1.0)
    weights[general] = 1.0
    return weights


def largest_epsilon(vocabulary: Vocabulary) -> float:
    """Return the epsilon beyond which general weights would no longer tell near general words from far ones.

    The larger epsilon, the smaller the radius that integers have digits for: epsilon radius <= 49. At rate epsilon / 2
    the general words at that radius together must not outweigh the nearest one, at its median distance from a word.
    """
    general = _general_words(vocabulary)
    sample = np.unique(np.linspace(0, len(vocabulary) - 1, _SAMPLE).astype(np.int64))
    special = vocabulary.points[sample[~general[sample]]].astype(np.float64)
    if len(special) == 0:
        return math.inf
    nearest = vocabulary.space.distances(special, vocabulary.points[general].astype(np.float64)).min(axis=1)
    return (DEEPEST_IF_GENERAL - 2 * math.log(general.sum())) / float(np.median(nearest))


def _general_words(vocabulary: Vocabulary) -> NDArray[np.bool_]:
    """Mark the words nearest to the centre: p^.65 of p, and all that are as near as the last of them."""
    if not isinstance(vocabulary.space, Poincare):
        raise InvalidInputError(
            'weights="general" needs points of the Poincaré ball, where words near the centre are general '
            f"(got {vocabulary.space.metric}); use Vocabulary.hyperbolic(), or give weights, one a word"
        )
    centre = np.zeros((1, vocabulary.dimension))
    blocks = [vocabulary.block(start, start + _BLOCK) for start in range(0, len(vocabulary), _BLOCK)]
    heights = np.concatenate([vocabulary.space.distances(centre, block)[0] for block in blocks])
    last = int(len(heights) ** _GENERAL) - 1
    general: NDArray[np.bool_] = heights <= np.partition(heights, last)[last]
    return general


def checked_weights(weights: ArrayLike, vocabulary: Vocabulary) -> Floats:
    """Return given weights as an array of its own, or say what is wrong with them."""
    array = np.asarray(weights)
    if array.shape != (len(vocabulary),) or array.dtype.kind not in "fiu" or isinstance(weights, np.ma.MaskedArray):
        raise InvalidInputError(
            f'weights must be None, "tight", "general" or {len(vocabulary):,} numbers, one a word of the vocabulary '
            f"(got {type(weights).__name__}, {array.dtype} of shape {array.shape})"
        )
    checked = _scaled(array)
    wrong = np.flatnonzero(~((checked > 0) & np.isfinite(checked)))
    if len(wrong):
        raise InvalidInputError(
            f"weights must be finite and > 0 (that of {vocabulary.words[wrong[0]]!r} is {array[wrong[0]]}): a word "
            "that may go in must be able to come out; give it a small weight"
        )
    return read_only(checked)


def digest_of_weights(weights: Any) -> str:
    """Return the sha256 of weights; a common factor of two makes no difference."""
    return hashlib.sha256(b"textveil weights 1\n" + _scaled(weights).astype("<f8").tobytes()).hexdigest()


def _scaled(weights: Any) -> Floats:
    """Return weights of at most 1, so that no product overflows: a power of two changes no digit."""
    array = np.asarray(weights, dtype=np.float64)
    return np.ldexp(array, -int(np.frexp(array.max(initial=0.0))[1]))


@compiled_reduction
def _kernel_sums(distances, rate, radius, sums):  # type: ignore[no-untyped-def]
    for i in range(distances.shape[0]):
        total = 0.0
        for j in range(distances.shape[1]):
            total += exponential(-rate * min(distances[i, j], radius))
        sums[i] = total
