"""Which few points are nearest, kept while tiles of float32 products pass; and their distances in float64."""

from __future__ import annotations

import numpy as np

from textveil.compiled import compiled, compiled_reduction

# Points that are kept beyond those wanted, so that float32 seldom leaves a doubt.
TO_SPARE = 12
# No row of a tile has a column of its own.
NOBODY = -(1 << 62)
# Comparisons made before one looks whether any of them succeeded.
LANES = 64


@compiled
def keep_for_rows(products, halves, first_column, own_shift, keys, kept):  # type: ignore[no-untyped-def]
    """Keep the least keys |y|^2 / 2 - x.y of each row, in order; row i is column i + own_shift itself."""
    height, width = products.shape
    for i in range(height):
        own = i + own_shift
        for start in range(0, width, LANES):
            row, half = products[i, start : start + LANES], halves[start : start + LANES]
            worst = keys[i, -1]
            closer = 0
            for j in range(row.size):
                closer += half[j] - row[j] < worst
            if closer:
                for j in range(row.size):
                    key = half[j] - row[j]
                    if key < keys[i, -1] and start + j != own:
                        insert(keys[i], kept[i], key, first_column + start + j)


@compiled
def insert(keys, ids, key, number):  # type: ignore[no-untyped-def]
    """Put a key where it belongs; the largest falls out."""
    place = keys.size - 1
    while place > 0 and keys[place - 1] > key:
        keys[place], ids[place] = keys[place - 1], ids[place - 1]
        place -= 1
    keys[place], ids[place] = key, number


@compiled_reduction
def squared_distance(a, b):  # type: ignore[no-untyped-def]
    """The sum of squared differences in float64."""
    total = 0.0
    for k in range(a.size):
        difference = np.float64(a[k]) - np.float64(b[k])
        total += difference * difference
    return total
