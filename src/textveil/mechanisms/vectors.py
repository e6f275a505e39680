"""Mechanisms that take vectors: one (d,) or many (n, d), NumPy or torch, the same kind out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError
from textveil.gpu.devices import accelerator_of
from textveil.mechanisms.mechanism import Mechanism
from textveil.noise.lattice import Lattice
from textveil.randomness import RandomSource, Streams
from textveil.receipts import Release

Vectors = NDArray[np.float64]
Integers = NDArray[np.int64]
NoiseThere = Callable[[Streams, Any], Any]


class VectorMechanism(Mechanism):
    """Releases vectors of a fixed dimension."""

    dimension: int

    @property
    def released_dimension(self) -> int:
        """Length of a released vector."""
        return self.dimension

    @property
    def takes_sparse(self) -> bool:
        """Whether rows of a SciPy sparse matrix may be released."""
        return False

    def release(self, private: Any, *, source: RandomSource | None = None) -> Any:
        """Release one vector or many.

        Parameters
        ----------
        private : real numbers, shape (dimension,) or (n, dimension): a NumPy array, nested lists, or a torch tensor;
            if `takes_sparse` also a SciPy sparse matrix
        source : where the noise comes from; by default fresh noise from the operating system

        Returns
        -------
        Shape (released_dimension,) or (n, released_dimension): a tensor on the same device for a tensor, else a NumPy
        array; in the floats of the input, float64 if that was whole numbers, lists or sparse.
        """
        return super().release(private, source=source)

    def _check(self, private: Any) -> Vectors:
        return checked_vectors(private, self.dimension)

    def _wrap(self, outputs: Vectors, private: Any) -> Any:
        shaped = outputs[0] if np.ndim(private) == 1 else outputs
        if _is_torch(private):
            import torch

            kind = private.dtype if private.dtype.is_floating_point else torch.float64
            return torch.from_numpy(shaped).to(dtype=kind, device=private.device)
        kind = np.asarray(private).dtype
        return shaped.astype(kind) if kind.kind == "f" else shaped


class AdditiveMechanism(VectorMechanism):
    """Rounds vectors to a lattice and adds integer noise there, so that the support never depends on the data (8.1)."""

    @property
    @abstractmethod
    def lattice(self) -> Lattice:
        """Where vectors are rounded to."""

    @property
    def is_euclidean(self) -> bool:
        """Whether the promise is by the Euclidean distance of any vectors, once they are rounded."""
        relation = self.guarantee.relation
        return relation.metric == self.lattice.metric and not relation.condition

    @abstractmethod
    def _draw(self, streams: Streams) -> Integers:
        """Draw the noise of all items, in steps of the lattice."""

    @property
    def draws_there(self) -> bool:
        """Whether a GPU can draw the noise that the CPU draws."""
        return self._noise_there is not None

    @property
    def _noise_there(self) -> NoiseThere | None:
        """What draws the noise of all items on a device, before it is rounded to the lattice; None if nothing does."""
        return None

    def release_with_receipt(self, private: Any, *, source: RandomSource | None = None) -> Release[Any]:
        """Release private vectors, with the receipt that says what was promised; vectors on a GPU get noise there."""
        device = accelerator_of(private)
        if device is None or not self.draws_there:
            return super().release_with_receipt(private, source=source)
        source = RandomSource.given(source)
        items = self._check(private)
        streams = source.streams(self._purpose, items)
        value = self.sample_there(private.detach().double().reshape(items.shape), streams).reshape(private.shape)
        if private.dtype.is_floating_point:
            value = value.to(private.dtype)
        return Release(value, self._receipt(self.guarantee, source, len(items)))

    def sample_there(self, items: Any, streams: Streams) -> Any:
        """Return what `_sample` does for float64 vectors on a device, if `draws_there`."""
        draw = self._noise_there
        if draw is None:
            raise InvalidInputError(f"this noise of {type(self).__name__} is drawn on the CPU: use release")
        return self.lattice.add_there(items, draw(streams, items.device))

    def _sample(self, items: Vectors, streams: Streams) -> Vectors:
        return self.lattice.to_vectors(self.lattice.snap(items) + self._draw(streams))


def checked_vectors(private: Any, dimension: int) -> Vectors:
    """Return one vector or many as a new float64 array (n, dimension), or raise an error that quotes none."""
    array = as_numbers(private)
    if array.ndim not in (1, 2) or array.shape[-1] != dimension:
        raise InvalidInputError(f"vectors must have shape ({dimension},) or (n, {dimension}) (got {array.shape})")
    vectors = np.atleast_2d(array.astype(np.float64))
    if not np.isfinite(vectors).all():
        raise InvalidInputError("vectors must be finite: there is a NaN or an infinity among them")
    return vectors


def as_numbers(private: Any) -> NDArray[Any]:
    """Return a NumPy array of real numbers of what may be torch's."""
    if type(private).__module__.startswith("scipy.sparse") or getattr(private, "is_sparse", False):
        raise InvalidInputError(
            "vectors must be dense here (got a sparse matrix): make them dense, or use PrivEmb, which takes SciPy's"
        )
    rows = private if isinstance(private, list | tuple) else ()
    if any(isinstance(one, np.ma.MaskedArray) for one in (private, *rows)):
        raise InvalidInputError("vectors must have no mask, since what it hides would be released; fill them first")
    try:
        array = np.asarray(_from_torch(private) if _is_torch(private) else private)
    except ValueError:
        raise InvalidInputError("vectors must all have the same number of numbers") from None
    if array.dtype.kind not in "fiu":
        raise InvalidInputError(f"vectors must be numbers (got {array.dtype})")
    return array


def check_precision(precision: str | None, step: float | None) -> float | None:
    """Refuse a precision that is neither "fast" nor "exact", and a step that is no power of two; return the step."""
    if precision not in ("fast", "exact"):
        raise InvalidInputError(f'precision must be "fast" or "exact" (got {precision!r})')
    return None if step is None else Lattice(step).step


def _is_torch(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "torch"


def _from_torch(tensor: Any) -> Any:
    """Return the values; in float64 if they have a fraction, since NumPy has no bfloat16."""
    values = tensor.detach().cpu()
    return (values.double() if values.dtype.is_floating_point else values).numpy()
