"""Depths of candidates in many documents, as Triton compiles it: counts stay in registers, and nothing is sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
import triton
import triton.language as tl
from numpy.typing import NDArray

from textveil.gpu.devices import device_of, there

_SIZE = 256


@triton.jit
def _depths(candidates, sentences, offsets, out, count, directions, total, CLOSED: tl.constexpr, SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    document = tl.program_id(0).to(tl.int64)
    first, last = tl.load(offsets + document), tl.load(offsets + document + 1)
    column = tl.program_id(1) * SIZE + tl.arange(0, SIZE)
    inside = column < count
    depth = tl.zeros((SIZE,), tl.int32) + (last - first)
    for _ in range(directions):
        place = tl.load(candidates + column, mask=inside, other=0.0)
        above, below = tl.zeros((SIZE,), tl.int32), tl.zeros((SIZE,), tl.int32)
        for k in range(first, last):
            sentence = tl.load(sentences + k)
            above += (sentence >= place).to(tl.int32)
            if CLOSED:
                below += (sentence <= place).to(tl.int32)
            else:
                below += (sentence < place).to(tl.int32)
        depth = tl.minimum(depth, tl.minimum(above, below))
        candidates += count
        sentences += total
    tl.store(out + document * count + column, depth, mask=inside)


def counted_depths(candidates: Any, sentences: Any, offsets: NDArray[np.int64], *, closed: bool) -> Any:
    """Return what `textveil.gpu.depth.plain_depths` does, by one kernel."""
    import torch

    directions, count = candidates.shape
    documents = len(offsets) - 1
    out = torch.empty((documents, count), dtype=torch.int32, device=candidates.device)
    if documents:
        ends = there(offsets, candidates.device, np.int32)
        sizes = (count, directions, sentences.shape[1])
        grid = (documents, triton.cdiv(count, _SIZE))
        with device_of(out):
            _depths[grid](candidates, sentences, ends, out, *sizes, CLOSED=closed, SIZE=_SIZE)
    return out
