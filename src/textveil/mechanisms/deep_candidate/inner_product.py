"""How like a document candidates are: the sum over its sentences of inner products, clipped, in exact arithmetic.

The range of the clip is cut into 256 steps, and each sentence gives a candidate 0 to 256 of them, the nearest number to
its inner product. Sentences and candidates are whole numbers of 2^-20, and sentences are cut off at a limit that keeps
all products and their sums below 2^53, where a float64 matrix product has no rounding: what a sentence gives does not
depend on what stands beside it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled
from textveil.errors import InvalidInputError, require_number
from textveil.mechanisms.deep_candidate.depth import Integers, snap
from textveil.mechanisms.vectors import Vectors
from textveil.vocabulary.lattice import STEP

Scores = NDArray[np.uint32]

STEPS = 256
_LARGEST = 2.0**100
# So many candidates stand for sentences when the clip is chosen.
_SAMPLE = 128
_QUANTILES = (0.5, 0.999)
# A clip is chosen in steps of this, so that it is the same on machines that add in another order.
_CLIP_STEP = 2.0**-12
# Half of what float64 holds, so that the limit itself may be rounded.
_EXACT = 2.0**52
# Products of so many sentences and candidates stay in a second-level cache.
_SENTENCES, _CANDIDATES = 128, 1024


class InnerProducts:
    """Sums of clipped inner products of candidates with sentences.

    Parameters
    ----------
    candidates : shape (m, d), multiples of 2^-20
    clip : inner products below the first number count as that, and above the second as that
    """

    # The most that one sentence gives to a candidate.
    steps = STEPS

    def __init__(self, candidates: NDArray[np.floating], clip: tuple[float, float]) -> None:
        self._whole = candidates.astype(np.float64) / STEP
        self._low, self._width = clip[0] / STEP**2, (clip[1] - clip[0]) / STEP**2 / STEPS
        largest = float(np.abs(self._whole).max())
        # Whatever the sentence, sums of its products with a candidate are at most limit x sum of |coordinates|.
        self.limit = float(np.floor(_EXACT / max(1.0, float(np.abs(self._whole).sum(axis=1).max()))))
        if largest > self.limit:
            raise InvalidInputError(
                f"candidates of dimension {candidates.shape[1]} are too large for exact products (a coordinate is "
                f"{largest * STEP:.6g}); divide all vectors by a public constant"
            )

    def among(self, sentences: Vectors, offsets: Integers) -> Scores:
        """Return the steps that every candidate gets from every document: shape (documents, m).

        Parameters
        ----------
        sentences : of all documents, one after the other; what is beyond the limit counts as at the limit
        offsets : where each document begins, and where the last ends
        """
        scores: Scores = np.zeros((len(offsets) - 1, len(self._whole)), dtype=np.uint32)
        owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        whole = np.empty(sentences.shape)
        snap(sentences, 1 / STEP, self.limit, whole)
        for first in range(0, len(self._whole), _CANDIDATES):
            some = slice(first, first + _CANDIDATES)
            for start in range(0, len(whole), _SENTENCES):
                part = slice(start, start + _SENTENCES)
                products = whole[part] @ self._whole[some].T
                _add_steps(products, owners[part], self._low, self._width, scores[:, some])
        return scores


def checked_clip(clip: tuple[float, float]) -> tuple[float, float]:
    """Return the clip as two numbers, the first below the second."""
    pair = tuple(clip) if isinstance(clip, tuple | list) else ()
    if len(pair) != 2:
        raise InvalidInputError("clip must be two numbers, the least and the largest inner product that counts")
    low, high = (require_number("clip", end) for end in pair)
    if not (-_LARGEST < low < high < _LARGEST and high - low > STEP):
        raise InvalidInputError(f"clip must be two finite numbers, the first below the second (got {clip!r})")
    return low, high


def usual_clip(candidates: NDArray[np.floating]) -> tuple[float, float]:
    """Choose the clip on public data alone: from the median to the largest thousandth of inner products of candidates.

    Up to 128 candidates, evenly spaced in the list, stand for sentences, each with all others.
    """
    count = len(candidates)
    rows = np.unique(np.linspace(0, count - 1, min(count, _SAMPLE)).astype(np.int64))
    products = candidates[rows].astype(np.float64) @ candidates.T.astype(np.float64)
    products[np.arange(len(rows)), rows] = np.nan
    others = products[~np.isnan(products)]
    ends = np.quantile(others if others.size else np.zeros(1), _QUANTILES)
    low, high = (np.rint(ends / _CLIP_STEP) * _CLIP_STEP).tolist()
    return checked_clip((low, high if high > low else low + 1.0))


@compiled
def _add_steps(products, owners, low, width, scores):  # type: ignore[no-untyped-def]
    for i in range(products.shape[0]):
        row = scores[owners[i]]
        for c in range(products.shape[1]):
            row[c] += np.uint32(min(max(np.rint((products[i, c] - low) / width), 0.0), float(STEPS)))
