"""The inner loops of GloVe: counting words that are near each other, and one pass of AdaGrad over the pairs."""

from __future__ import annotations

import numpy as np

from textveil.compiled import compiled, compiled_reduction


@compiled
def count_near(ids, texts, first, window, near):  # type: ignore[no-untyped-def]
    """Add 1 / k for words k apart in one text; rows are words from `first` on, columns all words."""
    for place in range(ids.size):
        row = ids[place] - first
        if 0 <= row < near.shape[0]:
            for k in range(1, window + 1):
                share = np.float32(1.0 / k)
                if place >= k and texts[place - k] == texts[place]:
                    near[row, ids[place - k]] += share
                if place + k < ids.size and texts[place + k] == texts[place]:
                    near[row, ids[place + k]] += share


@compiled_reduction
def one_epoch(first, second, logs, weights, rate, vectors, biases, squares, bias_squares):  # type: ignore[no-untyped-def]
    """Step once for each pair, in order; return the sum of the losses before each step."""
    half, size = vectors.shape[0] // 2, vectors.shape[1]
    loss = 0.0
    for pair in range(logs.size):
        i, j = np.int64(first[pair]), np.int64(second[pair]) + half
        v, u, v_squares, u_squares = vectors[i], vectors[j], squares[i], squares[j]
        difference = biases[i] + biases[j] - logs[pair]
        for k in range(size):
            difference += v[k] * u[k]
        pull = weights[pair] * difference
        loss += 0.5 * pull * difference
        pull *= rate
        for k in range(size):
            v_step, u_step = pull * u[k], pull * v[k]
            v[k] -= v_step / np.sqrt(v_squares[k])
            u[k] -= u_step / np.sqrt(u_squares[k])
            v_squares[k] += v_step * v_step
            u_squares[k] += u_step * u_step
        for end in (i, j):
            biases[end] -= pull / np.sqrt(bias_squares[end])
            bias_squares[end] += pull * pull
    return loss
