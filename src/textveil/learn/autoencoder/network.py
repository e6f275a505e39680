"""The trained network in NumPy, without torch: words in, a vector out; a vector in, words out.

Reading goes through one utterance after the other, so that its vector never depends, not even in the last bit, on what
else is released at the same time. Writing sees released vectors alone, so it may take many at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled, compiled_reduction
from textveil.errors import InvalidInputError, require_count, require_positive
from textveil.learn.autoencoder.tokens import END, UNKNOWN

Floats = NDArray[np.float32]
Vectors = NDArray[np.float64]
Ids = NDArray[np.int64]
Weights = Mapping[str, NDArray[Any]]

_MOST_SIZE = 1 << 14


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The sizes of a network.

    Parameters
    ----------
    latent : numbers of the vector that an utterance becomes
    clip : the largest length of that vector
    embedding : numbers of a word's vector
    hidden : numbers of the state while reading and writing
    """

    latent: int = 4
    clip: float = 1.0
    embedding: int = 64
    hidden: int = 128

    def __post_init__(self) -> None:
        for name in ("latent", "embedding", "hidden"):
            size = require_count(name, getattr(self, name))
            if size > _MOST_SIZE:
                raise InvalidInputError(f"{name} must be at most {_MOST_SIZE:,} (got {size!r})")
            object.__setattr__(self, name, size)
        object.__setattr__(self, "clip", require_positive("clip", self.clip))

    def weights(self, words: int) -> dict[str, tuple[int, ...]]:
        """Return the shape of each array of weights; matrices take columns to rows, as torch has them."""
        e, h, n = self.embedding, self.hidden, self.latent
        return {
            "words": (words, e),
            "word_bias": (words,),
            "read.weight_ih_l0": (3 * h, e),
            "read.weight_hh_l0": (3 * h, h),
            "read.bias_ih_l0": (3 * h,),
            "read.bias_hh_l0": (3 * h,),
            "latent.weight": (n, h),
            "latent.bias": (n,),
            "guess.weight": (2 * h, n + 1),
            "guess.bias": (2 * h,),
            "topic.weight": (h, 2 * h),
            "topic.bias": (h,),
            "begin.weight": (h, h),
            "begin.bias": (h,),
            "write.weight_ih_l0": (3 * h, e + h),
            "write.weight_hh_l0": (3 * h, h),
            "write.bias_ih_l0": (3 * h,),
            "write.bias_hh_l0": (3 * h,),
            "say.weight": (e, 2 * h),
            "say.bias": (e,),
        }


class Network:
    """The network of a shape and its weights.

    Parameters
    ----------
    shape : sizes
    weights : arrays named as `Shape.weights` says
    """

    def __init__(self, shape: Shape, weights: Weights) -> None:
        self.shape = shape
        self._weights = {name: np.ascontiguousarray(values, dtype=np.float32) for name, values in weights.items()}
        w = self._weights
        e = shape.embedding
        self._read_gates = w["words"] @ w["read.weight_ih_l0"].T + w["read.bias_ih_l0"]
        self._write_gates = w["words"] @ w["write.weight_ih_l0"][:, :e].T + w["write.bias_ih_l0"]

    def encode(self, sequences: Sequence[Sequence[int]]) -> Vectors:
        """Return the vector of each utterance, within the ball."""
        lengths = np.array([0, *map(len, sequences)], dtype=np.int64)
        ids = np.array([number for sequence in sequences for number in sequence], dtype=np.int64)
        w = self._weights
        out = np.empty((len(sequences), self.shape.latent))
        _read(
            *(ids, np.cumsum(lengths), self._read_gates, w["read.weight_hh_l0"], w["read.bias_hh_l0"]),
            *(w["latent.weight"], w["latent.bias"], self.shape.clip, out),
        )
        return out

    def write(self, vectors: Vectors, length: int, draws: Vectors | None = None) -> list[list[int]]:
        """Return for each vector the numbers of at most `length` words.

        Parameters
        ----------
        vectors : released ones
        length : most words
        draws : uniform numbers, one for each word: words are drawn by their chances; None takes the likeliest each time
        """
        written: list[list[int]] = [[] for _ in vectors]
        topic, state = self._begin(vectors)
        rows, last = np.arange(len(vectors)), np.full(len(vectors), END)
        for place in range(length):
            state = self._step(topic, state, last)
            scores = self._scores(topic, state)
            last = scores.argmax(axis=1) if draws is None else _drawn(scores, draws[rows, place])
            going = last != END
            rows, topic, state, last = rows[going], topic[going], state[going], last[going]
            for row, number in zip(rows.tolist(), last.tolist(), strict=True):
                written[row].append(number)
            if not len(rows):
                break
        return written

    def beam(self, vectors: Vectors, length: int, width: int) -> list[list[int]]:
        """Return for each vector the likeliest of the utterances that a search keeping `width` at a time finds."""
        count = len(vectors)
        if not count:
            return []
        topic, state = (np.repeat(part, width, axis=0) for part in self._begin(vectors))
        totals = np.full((count, width), -math.inf, dtype=np.float32)
        totals[:, 0] = 0
        written = np.full((count, width, length), END)
        last = np.full(count * width, END)
        ended = np.zeros((count, width), dtype=bool)
        base = np.arange(count)[:, None]
        for place in range(length):
            state = self._step(topic, state, last)
            chances = _log_softmax(self._scores(topic, state)).reshape(count, width, -1)
            # An utterance that has ended stays as it is.
            chances[ended] = -math.inf
            chances[ended, END] = 0
            scores = (totals[:, :, None] + chances).reshape(count, -1)
            best = np.argsort(-scores, axis=1, kind="stable")[:, :width]
            totals = np.take_along_axis(scores, best, axis=1)
            parents, words = np.divmod(best, chances.shape[2])
            written = written[base, parents]
            written[:, :, place] = words
            ended = words == END
            state = state.reshape(count, width, -1)[base, parents].reshape(count * width, -1)
            last = words.reshape(-1)
            if ended.all():
                break
        return [[number for number in row.tolist() if number != END] for row in written[:, 0]]

    def _begin(self, vectors: Vectors) -> tuple[Floats, Floats]:
        """Return what the utterances are about, and the state before their first word.

        Of a vector the direction and the length are looked at: the length tells how much noise there is.
        """
        w = self._weights
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        seen = np.concatenate(
            [vectors / np.maximum(lengths, 1e-30), np.log1p(lengths / self.shape.clip)], axis=1, dtype=np.float32
        )
        guess = np.maximum(0, seen @ w["guess.weight"].T + w["guess.bias"])
        topic = np.tanh(guess @ w["topic.weight"].T + w["topic.bias"])
        return topic, np.tanh(topic @ w["begin.weight"].T + w["begin.bias"])

    def _step(self, topic: Floats, state: Floats, last: Ids) -> Floats:
        """Return the states after one more word."""
        w, h = self._weights, self.shape.hidden
        given = self._write_gates[last] + topic @ w["write.weight_ih_l0"][:, self.shape.embedding :].T
        kept = state @ w["write.weight_hh_l0"].T + w["write.bias_hh_l0"]
        reset, update = (_sigmoid(given[:, part] + kept[:, part]) for part in (slice(h), slice(h, 2 * h)))
        new = np.tanh(given[:, 2 * h :] + reset * kept[:, 2 * h :])
        after: Floats = new + update * (state - new)
        return after

    def _scores(self, topic: Floats, state: Floats) -> Floats:
        """Return how likely each word is next; the unknown word is never written."""
        w = self._weights
        said: Floats = np.concatenate([state, topic], axis=1) @ w["say.weight"].T + w["say.bias"]
        scores = said @ w["words"].T + w["word_bias"]
        scores[:, UNKNOWN] = -math.inf
        return scores


def _sigmoid(x: Floats) -> Floats:
    half = np.float32(0.5)
    return np.asarray(half + half * np.tanh(half * x))


def _drawn(scores: Floats, draws: Vectors) -> Ids:
    """Return for each row a word by its chance: the first at which the chances up to it pass the number drawn."""
    chances = np.exp(scores - scores.max(axis=1, keepdims=True)).cumsum(axis=1, dtype=np.float64)
    chosen: Ids = (chances < draws[:, None] * chances[:, -1:]).sum(axis=1)
    return chosen


def _log_softmax(scores: Floats) -> Floats:
    shifted = scores - scores.max(axis=1, keepdims=True)
    total: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return total


@compiled
def _read(ids, offsets, gates, recurrent, recurrent_bias, project, project_bias, clip, out):  # type: ignore[no-untyped-def]
    """Read each utterance alone: a gated recurrent network, the largest value of each number of its state, the ball."""
    hidden = recurrent.shape[1]
    kept = np.empty(3 * hidden, dtype=np.float32)
    for row in range(out.shape[0]):
        state = np.zeros(hidden, dtype=np.float32)
        largest = np.full(hidden, -1.0, dtype=np.float32)
        for place in range(offsets[row], offsets[row + 1]):
            given = gates[ids[place]]
            for j in range(3 * hidden):
                kept[j] = recurrent_bias[j] + _product(recurrent[j], state)
            for j in range(hidden):
                reset = 1 / (1 + math.exp(-(given[j] + kept[j])))
                update = 1 / (1 + math.exp(-(given[hidden + j] + kept[hidden + j])))
                new = math.tanh(given[2 * hidden + j] + reset * kept[2 * hidden + j])
                state[j] = new + update * (state[j] - new)
                largest[j] = max(largest[j], state[j])
        total = 1.0
        for j in range(out.shape[1]):
            out[row, j] = project_bias[j] + _product(project[j], largest)
            total += out[row, j] * out[row, j]
        for j in range(out.shape[1]):
            out[row, j] *= clip / math.sqrt(total)


@compiled_reduction
def _product(a, b):  # type: ignore[no-untyped-def]
    total = np.float32(0)
    for i in range(a.size):
        total += a[i] * b[i]
    return total
