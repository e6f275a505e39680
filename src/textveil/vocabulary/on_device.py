"""Nearest-word search on a GPU, with the answers of the CPU: what the device can't decide comes back to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.gpu.devices import there
from textveil.gpu.search import DeviceTable
from textveil.vocabulary.codes import FARTHEST, FARTHEST_SINGLE, require_near
from textveil.vocabulary.search import NEAREST_CODED, NearestPoint, score_error


class NearestOnDevice:
    """Nearest rows of a table of lattice points, in Euclidean distance, computed on a device of torch."""

    def __init__(self, index: NearestPoint, device: Any) -> None:
        self._index = index
        self._table = DeviceTable(index.points, device, index.halves)

    def points(self, rows: NDArray[np.int64]) -> Any:
        """Return some rows of the table as a float64 tensor on the device."""
        return self._table.points(rows)

    def nearest(self, queries: Any) -> Any:
        """Return the row nearest to each query, the lowest among equals: arrays in, an array out; tensors, a tensor."""
        import torch

        is_tensor = isinstance(queries, torch.Tensor)
        asked = queries.detach() if is_tensor else there(queries, self._table.device, np.float64)
        asked = asked.to(device=self._table.device, dtype=torch.float64)
        require_near(bool((asked.abs() < FARTHEST).all()))
        norms = asked.norm(dim=1)
        usable = (norms > NEAREST_CODED) & (norms * (1 + self._index.radius) < FARTHEST_SINGLE)
        chosen = usable.nonzero()[:, 0]
        answers = torch.empty(len(asked), dtype=torch.int64, device=asked.device)
        answers[chosen], margins = self._table.nearest(asked[chosen])
        error = score_error(norms[chosen].cpu().numpy(), self._index.radius, asked.shape[1], np.float64)
        usable[chosen] = margins > 2 * torch.from_numpy(error).to(margins.device)
        left = (~usable).nonzero()[:, 0]
        if len(left):
            exact = self._index.nearest(asked[left].cpu().numpy())
            answers[left] = torch.from_numpy(exact).to(answers.device)
        return answers if is_tensor else answers.cpu().numpy()
