"""The inner loop of Poincaré embeddings: one pass of Riemannian gradient descent over some nodes.

All pairs (u, v) of a node u share one set of negatives, so a node with k ancestors and n negatives costs k + n
distances and not k (1 + n). The loss of a pair is -ln(e^-d(u,v) / (e^-d(u,v) + sum over negatives of e^-d(u,c))).

Several threads may work on the same points without locks: now and then one overwrites the step of another, which
gradient descent forgives.
"""

from __future__ import annotations

import numpy as np

from textveil.compiled import compiled, compiled_reduction

# Points stay this far from the boundary in norm, at a distance of at most 16.8 from the origin.
LEAST_GAP = 1e-7
# The longest step, in hyperbolic distance.
LONGEST_STEP = 2.0
# Coordinates are padded with zeros to a multiple of this, a full vector register.
LANES = 8


@compiled
def next_number(state):  # type: ignore[no-untyped-def]
    """Advance a xorshift generator, a one-element array of uint64 that is not zero."""
    state[0] ^= state[0] << np.uint64(13)
    state[0] ^= state[0] >> np.uint64(7)
    state[0] ^= state[0] << np.uint64(17)
    return state[0]


@compiled
def below(state, count):  # type: ignore[no-untyped-def]
    """Return a number from 0 up to `count`, for counts below 2^40."""
    return np.int64((next_number(state) >> np.uint64(20)) % np.uint64(count))


@compiled
def shuffle(items, state):  # type: ignore[no-untyped-def]
    """Bring items into a random order."""
    for last in range(items.size - 1, 0, -1):
        other = below(state, last + 1)
        items[last], items[other] = items[other], items[last]


@compiled
def scatter(points, dimension, width, state):  # type: ignore[no-untyped-def]
    """Put points into a small cube around the origin."""
    for i in range(points.shape[0]):
        for k in range(dimension):
            points[i, k] = width * (2.0 * np.float64(next_number(state) >> np.uint64(11)) / 2.0**53 - 1.0)


@compiled
def step(gap, slope, inner, rate):  # type: ignore[no-untyped-def]
    """Return (a, b) such that a x + b g is where a walk from x against its Euclidean gradient g ends.

    The walk is straight (the exponential map of the ball) and rate times the Riemannian length of the gradient long.
    `gap` is 1 - |x|^2, `slope` |g|^2, `inner` <x, g>.
    """
    if slope <= 0.0:
        return 1.0, 0.0
    norm = np.sqrt(slope)
    t = np.tanh(min(rate * gap * 0.5 * norm, LONGEST_STEP) * 0.5)
    along = -t * inner / norm
    scale = 1.0 / (1.0 + 2.0 * along + (1.0 - gap) * t * t)
    return (1.0 + 2.0 * along + t * t) * scale, -gap * scale * t / norm


@compiled_reduction
def settle(points, gaps, node, square, lanes):  # type: ignore[no-untyped-def]
    """Note the gap of a point that has moved to norm sqrt(square), and keep it off the boundary."""
    largest = 1.0 - LEAST_GAP
    if square > largest * largest:
        shrink = largest / np.sqrt(square)
        for k in range(len(lanes)):
            points[node, k] *= shrink
        square = largest * largest
    gaps[node] = 1.0 - square


@compiled
def is_ancestor(ancestors, start, stop, node):  # type: ignore[no-untyped-def]
    """Whether a node is in this sorted stretch of ancestors."""
    end = stop
    while start < end:
        middle = (start + end) >> 1
        if ancestors[middle] < node:
            start = middle + 1
        else:
            end = middle
    return start < stop and ancestors[start] == node


@compiled
def sample(node, offsets, ancestors, below_offsets, descendants, table, count, related, state, others):  # type: ignore[no-untyped-def]
    """Write the ancestors of a node into `others`, then negatives, and return how many there are together.

    The first `related` negatives are descendants of the node itself or of one of its ancestors, all alike: brothers,
    cousins and further kin, who are hardest to tell from ancestors. The rest comes from the table.
    """
    start, stop = offsets[node], offsets[node + 1]
    filled = stop - start
    for j in range(filled):
        others[j] = ancestors[start + j]
    for j in range(count):
        if j < related:
            which = below(state, stop - start + 1)
            top = node if which == stop - start else ancestors[start + which]
            size = below_offsets[top + 1] - below_offsets[top]
            if size == 0:
                continue
            chosen = descendants[below_offsets[top] + below(state, size)]
        else:
            chosen = table[below(state, table.size)]
        if chosen != node and not is_ancestor(ancestors, start, stop, chosen):
            others[filled] = chosen
            filled += 1
    return filled


@compiled_reduction
def weigh(points, gaps, node, others, ancestors, total, weights, squares, lanes):  # type: ignore[no-untyped-def]
    """Return the loss of a node; write its derivative by w = cosh d - 1 to each other node, and |u - v|^2.

    `ancestors` counts the first of the others, `total` all. With q = sinh d: dd/dw = 1/q and e^-d = 1 / (1 + w + q).
    """
    for j in range(total):
        square = 0.0
        for k in range(len(lanes)):
            difference = points[node, k] - points[others[j], k]
            square += difference * difference
        squares[j] = square
    negatives = shares = loss = 0.0
    for j in range(total - 1, -1, -1):
        w = max(2.0 * squares[j] / (gaps[node] * gaps[others[j]]), 1e-12)
        q = np.sqrt(w * (w + 2.0))
        nearness = 1.0 / (1.0 + w + q)
        if j >= ancestors:
            negatives += nearness
            weights[j] = -nearness / q
        else:
            share = 1.0 / (nearness + negatives)
            shares += share
            loss -= np.log(nearness * share)
            weights[j] = negatives * share / q
    for j in range(ancestors, total):
        weights[j] *= shares
    return loss


@compiled_reduction
def improve(points, gaps, node, others, total, weights, squares, rate, gradient, lanes):  # type: ignore[no-untyped-def]
    """Move a node x and the others against their gradients; `gradient` is room for that of the node.

    With w = 2 |x - y|^2 / (gap gap') the gradient of y is f (y - x) + h y, so all that a step needs of it follows from
    the gaps and |x - y|^2, without cancellation near the boundary.
    """
    gap = gaps[node]
    for k in range(len(lanes)):
        gradient[k] = 0.0
    for j in range(total):
        there, square = others[j], squares[j]
        gap_there = gaps[there]
        f = 4.0 * weights[j] / (gap * gap_there)
        h, h_node = f * square / gap_there, f * square / gap
        away = (gap - gap_there + square) * 0.5  # <y, y - x>
        slope = f * f * square + 2.0 * f * h * away + h * h * (1.0 - gap_there)
        kept, moved = step(gap_there, slope, f * away + h * (1.0 - gap_there), rate)
        kept, moved = kept + moved * (f + h), moved * f
        square = 0.0
        for k in range(len(lanes)):
            gradient[k] += (f + h_node) * points[node, k] - f * points[there, k]
            points[there, k] = kept * points[there, k] - moved * points[node, k]
            square += points[there, k] * points[there, k]
        settle(points, gaps, there, square, lanes)
    slope = inner = square = 0.0
    for k in range(len(lanes)):
        slope += gradient[k] * gradient[k]
        inner += gradient[k] * points[node, k]
    kept, moved = step(gap, slope, inner, rate)
    for k in range(len(lanes)):
        points[node, k] = kept * points[node, k] + moved * gradient[k]
        square += points[node, k] * points[node, k]
    settle(points, gaps, node, square, lanes)


@compiled
def train_nodes(  # type: ignore[no-untyped-def]
    points, gaps, nodes, offsets, ancestors, below_offsets, descendants, table, count, related, rate, seed, lanes
):
    """Make one step for each of these nodes, and return the sum of their losses over all of their pairs.

    `lanes` is a tuple as long as a padded point: of tuples the compiler knows the length, and unrolls its loops.
    """
    state = np.array([seed], dtype=np.uint64)
    most = count
    for node in nodes:
        most = max(most, count + offsets[node + 1] - offsets[node])
    others, weights, squares = np.empty(most, dtype=np.int64), np.empty(most), np.empty(most)
    gradient = np.empty(len(lanes))
    loss = 0.0
    for node in nodes:
        size = offsets[node + 1] - offsets[node]
        if size == 0:
            continue
        total = sample(node, offsets, ancestors, below_offsets, descendants, table, count, related, state, others)
        loss += weigh(points, gaps, node, others, size, total, weights, squares, lanes)
        improve(points, gaps, node, others, total, weights, squares, rate, gradient, lanes)
    return loss
