"""Depth of candidates among the sentences of documents, on a device: the numbers of the CPU, one by one.

Candidates, sentences and directions are whole numbers whose products add up to less than 2^53, so that a float64 matrix
product has no rounding, whatever computes it, and equal places tie (docs/mechanisms/deep-candidate.md). What is left is
to count: along each direction the sentences at or above a candidate, and those at or below it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.gpu.devices import finish, there

Whole = NDArray[np.float64]


class DeviceDepth:
    """Depth of candidates among sentences; see `textveil.mechanisms.deep_candidate.depth.Depth`.

    Parameters
    ----------
    candidates : shape (m, d), whole numbers
    directions : shape (d, p), whole numbers
    closed : whether a sentence at the place of a candidate counts for both sides
    device : of torch
    """

    def __init__(self, candidates: Whole, directions: Whole, *, closed: bool, device: Any) -> None:
        self._here, self._there = directions, there(directions, device)
        self._closed = closed
        self._candidates = self._places(candidates)
        finish(self._there.device)

    def among(self, sentences: Whole, offsets: NDArray[np.int64]) -> NDArray[np.uint16]:
        """Return the depth of every candidate in every document: shape (documents, m).

        Parameters
        ----------
        sentences : of all documents, one after the other, in whole numbers
        offsets : where each document begins, and where the last ends
        """
        found = depths(self._candidates, self._places(sentences), offsets, closed=self._closed)
        # No document has more than 65,535 sentences.
        return np.asarray(found.cpu().numpy().astype(np.uint16))

    def _places(self, whole: Whole) -> Any:
        """Return the places of vectors along each direction: shape (p, vectors). The CPU checks the first and last."""
        places = there(whole, self._there.device) @ self._there
        ends = [0, -1] if len(whole) else []
        if not np.array_equal(places[ends].cpu().numpy(), whole[ends] @ self._here):
            raise InvalidInputError(
                f"{self._there.device} does not multiply whole numbers exactly, so that depths would not be private; "
                "use the CPU, candidates.on(None)"
            )
        return places.T.contiguous()


def plain_depths(candidates: Any, sentences: Any, offsets: NDArray[np.int64], *, closed: bool) -> Any:
    """Return the depths of candidates, given all places along each direction: shape (documents, m), int32."""
    import torch

    out = torch.empty((len(offsets) - 1, candidates.shape[1]), dtype=torch.int32, device=candidates.device)
    for document, (start, end) in enumerate(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)):
        ordered = sentences[:, start:end].sort(dim=1).values
        below = torch.searchsorted(ordered, candidates, out_int32=True)
        at_or_above = end - start - below
        if closed:
            below = torch.searchsorted(ordered, candidates, out_int32=True, right=True)
        out[document] = torch.minimum(at_or_above, below).amin(dim=0)
    return out


def depths(candidates: Any, sentences: Any, offsets: NDArray[np.int64], *, closed: bool) -> Any:
    """Return what `plain_depths` does, by one kernel for all documents on CUDA."""
    if candidates.device.type == "cuda":
        from textveil.gpu.counting import counted_depths

        return counted_depths(candidates, sentences, offsets, closed=closed)
    return plain_depths(candidates, sentences, offsets, closed=closed)
