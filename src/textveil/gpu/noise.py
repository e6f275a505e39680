"""Laplace and Gaussian noise on a device: the numbers that the CPU draws from the same streams.

On CUDA, AES and the transforms run there, and only the starts of the streams travel. The first and the last vectors of
every call are drawn on the CPU too: if a bit differs, all of them are.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.noise.gaussian import gaussian as gaussian_on_cpu
from textveil.noise.laplace import radial_laplace as laplace_on_cpu
from textveil.noise.reading import RESERVED
from textveil.randomness import Streams

Draw = Callable[[Streams], NDArray[np.float64]]

_CHECKED = 2
_GAMMA_BLOCKS = 2


def radial_laplace(streams: Streams, dimension: int, scale: float, device: Any) -> Any:
    """Draw what `textveil.noise.laplace.radial_laplace` draws, as a tensor (items, dimension) on the device."""

    def there(reader: _Reader) -> Any:
        from textveil.gpu.normals import mixed_deviations

        deviations = mixed_deviations(_gammas(reader, (dimension + 1) / 2), scale)
        return _normals(reader, dimension, deviations)

    return _drawn(streams, device, there, lambda few: laplace_on_cpu(few, dimension, scale))


def gaussian(streams: Streams, dimension: int, sigma: float, device: Any) -> Any:
    """Draw what `textveil.noise.gaussian.gaussian` draws, as a tensor (items, dimension) on the device."""

    def there(reader: _Reader) -> Any:
        import torch

        deviations = torch.full((len(reader.starts),), sigma, dtype=torch.float64, device=reader.starts.device)
        return _normals(reader, dimension, deviations)

    return _drawn(streams, device, there, lambda few: gaussian_on_cpu(few, dimension, sigma))


def _drawn(streams: Streams, device: Any, there: Callable[[_Reader], Any], here: Draw) -> Any:
    import torch

    if device.type != "cuda":
        return torch.from_numpy(here(streams)).to(device)
    noise = there(_Reader(streams, device))
    for rows in (slice(0, _CHECKED), slice(max(0, len(streams) - _CHECKED), len(streams))):
        if not np.array_equal(noise[rows].cpu().numpy(), here(streams.select(rows))):
            warnings.warn(f"{device} computes other noise than the CPU, which draws it instead", stacklevel=2)
            return torch.from_numpy(here(streams)).to(device)
    return noise


class _Reader:
    """Reads the streams of some items on a device; the position is the reader's own."""

    def __init__(self, streams: Streams, device: Any) -> None:
        import torch

        from textveil.gpu.aes import round_keys_there

        key, starts = streams.counters
        self.keys = round_keys_there(key, device)
        self.starts = torch.from_numpy(starts.view(np.int64).copy()).to(device)
        self.used = streams.used

    def words(self, count: int, items: Any = None) -> Any:
        """Return the next words of every item, or of some, without moving on."""
        from textveil.gpu.aes import keystream

        starts = self.starts if items is None else self.starts[items]
        return keystream(self.keys, starts, self.used, -(-count // 2))[:, :count]


def _gammas(reader: _Reader, shape: float) -> Any:
    """Draw a Gamma number an item, as `textveil.noise.transforms.gammas` does for shapes of 1 and more."""
    from textveil.gpu.normals import attempt_gammas

    beyond = reader.used + RESERVED
    out, accepted = attempt_gammas(reader.words(4), shape)
    left = (~accepted).nonzero()[:, 0]
    while len(left):
        reader.used += _GAMMA_BLOCKS
        drawn, accepted = attempt_gammas(reader.words(4, left), shape)
        out[left] = drawn
        left = left[~accepted]
    reader.used = beyond
    return out


def _normals(reader: _Reader, dimension: int, deviations: Any) -> Any:
    import torch

    from textveil.gpu.normals import fill_normals

    out = torch.empty((len(deviations), dimension), dtype=torch.float64, device=deviations.device)
    fill_normals(reader.words(2 * -(-dimension // 2)), deviations, out)
    return out
