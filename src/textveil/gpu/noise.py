"""Laplace and Gaussian noise on a device.

On CUDA, the cipher and the transforms run there. Noise that can be asked for again, since its key is kept, is that of
the CPU bit for bit, from AES. The noise of a secure source can't be: it comes from ChaCha8, many times as fast, and is
what the CPU would draw from it but for the last bits. The first and the last vectors of every call and some between
them are drawn on the CPU too: if they are not the same, all of them are.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.gpu.devices import there
from textveil.noise.chacha import WideStreams
from textveil.noise.gaussian import gaussian as gaussian_on_cpu
from textveil.noise.laplace import radial_laplace as laplace_on_cpu
from textveil.noise.reading import RESERVED
from textveil.noise.transforms import below
from textveil.randomness import FreshStreams, RandomSource, Streams

Draw = Callable[[Streams], NDArray[np.float64]]

_CHECKED_AT_ENDS = 2
_CHECKED_BETWEEN = 4
# Blocks of AES that a try at a Gamma number reads.
_GAMMA_BLOCKS = 2
# What normal numbers of ChaCha8 may differ by from those of the CPU, for each unit of their size.
_LAST_BITS = 2.0**-48


def radial_laplace(streams: Streams, dimension: int, scale: float, device: Any) -> Any:
    """Draw what `textveil.noise.laplace.radial_laplace` draws, as a tensor (items, dimension) on the device."""

    def draw(reader: _Reader) -> Any:
        return _normals(reader, dimension, reader.mixed_deviations((dimension + 1) / 2, scale))

    return _drawn(streams, device, draw, lambda few: laplace_on_cpu(few, dimension, scale))


def gaussian(streams: Streams, dimension: int, sigma: float, device: Any) -> Any:
    """Draw what `textveil.noise.gaussian.gaussian` draws, as a tensor (items, dimension) on the device."""

    def draw(reader: _Reader) -> Any:
        import torch

        deviations = torch.full((reader.count,), sigma, dtype=torch.float64, device=reader.device)
        return _normals(reader, dimension, deviations)

    return _drawn(streams, device, draw, lambda few: gaussian_on_cpu(few, dimension, sigma))


def _drawn(streams: Streams, device: Any, draw: Callable[[_Reader], Any], here: Draw) -> Any:
    import torch

    if device.type != "cuda":
        return torch.from_numpy(here(streams)).to(device)
    read = WideStreams.instead_of(streams) if isinstance(streams, FreshStreams) else streams
    reader = _ChaChaReader(read, device) if isinstance(read, WideStreams) else _AesReader(read, device)
    noise = draw(reader)
    rows = _looked_at(len(read))
    few = read.select(rows)
    # The device goes on meanwhile.
    expected = here(few)
    drawn = noise[there(rows, noise.device)].cpu().numpy()
    if not (np.abs(drawn - expected) <= reader.apart * np.abs(expected)).all():
        warnings.warn(f"{device} computes other noise than the CPU, which draws it instead", stacklevel=2)
        noise = torch.from_numpy(here(read.select(slice(None)))).to(device)
    # A second draw from the same streams goes on behind this one.
    streams.used = few.used
    return noise


def _looked_at(count: int) -> NDArray[np.int64]:
    """Return the first and the last of so many rows, and some others by chance."""
    if not count:
        return np.empty(0, dtype=np.int64)
    ends = np.arange(_CHECKED_AT_ENDS)
    between = below(RandomSource.secure().streams(b"rows to look at", np.arange(_CHECKED_BETWEEN)), count)
    return np.unique(np.clip(np.concatenate([ends, between, count - 1 - ends]), 0, count - 1))


class _Reader(ABC):
    """Reads the streams of some items on a device; the position is the reader's own."""

    # How far its normal numbers may be from those of the CPU, for each unit of their size.
    apart: float

    def __init__(self, streams: Streams, device: Any) -> None:
        self.used, self.count, self.device = streams.used, len(streams), device

    @abstractmethod
    def mixed_deviations(self, shape: float, scale: float) -> Any:
        """Draw scale sqrt(2 g) an item, with a Gamma number g of a shape of 1 and more, and move on."""

    @abstractmethod
    def fill_normals(self, deviations: Any, out: Any) -> None:
        """Write normal numbers into `out`, one row an item, with the standard deviation of the item."""


class _AesReader(_Reader):
    apart = 0.0

    def __init__(self, streams: Streams, device: Any) -> None:
        from textveil.gpu.aes import round_keys_there

        super().__init__(streams, device)
        self._keys = round_keys_there(streams.key, device)
        self._starts = there(streams.starts.view(np.int64), device)

    def mixed_deviations(self, shape: float, scale: float) -> Any:
        import torch

        from textveil.gpu.normals import mixed_deviations

        beyond = self.used + RESERVED
        out = torch.empty(self.count, dtype=torch.float64, device=self.device)
        left = torch.arange(self.count, device=self.device)
        while len(left):
            out[left], accepted = self._attempt_gammas(shape, left)
            left = left[~accepted]
        self.used = beyond
        return mixed_deviations(out, scale)

    def _attempt_gammas(self, shape: float, items: Any) -> tuple[Any, Any]:
        """Return a try at a Gamma number of some items, and whether it succeeded."""
        from textveil.gpu.aes import keystream
        from textveil.gpu.normals import attempt_gammas

        words = keystream(self._keys, self._starts[items], self.used, _GAMMA_BLOCKS)
        self.used += _GAMMA_BLOCKS
        return attempt_gammas(words, shape)

    def fill_normals(self, deviations: Any, out: Any) -> None:
        from textveil.gpu.aes import keystream
        from textveil.gpu.normals import fill_normals

        fill_normals(keystream(self._keys, self._starts, self.used, -(-out.shape[1] // 2)), deviations, out)


class _ChaChaReader(_Reader):
    apart = _LAST_BITS

    def __init__(self, streams: WideStreams, device: Any) -> None:
        super().__init__(streams, device)
        self._key, self._first = streams.key, int(streams.rows[0]) if len(streams) else 0

    def mixed_deviations(self, shape: float, scale: float) -> Any:
        import torch

        from textveil.gpu.chacha import mixed_deviations

        out = torch.empty(self.count, dtype=torch.float64, device=self.device)
        mixed_deviations(self._key, self._first, self.used, shape, scale, out)
        self.used += RESERVED
        return out

    def fill_normals(self, deviations: Any, out: Any) -> None:
        from textveil.gpu.chacha import fill_normals

        fill_normals(self._key, self._first, self.used, deviations, out)


def _normals(reader: _Reader, dimension: int, deviations: Any) -> Any:
    import torch

    out = torch.empty((len(deviations), dimension), dtype=torch.float64, device=deviations.device)
    reader.fill_normals(deviations, out)
    return out
