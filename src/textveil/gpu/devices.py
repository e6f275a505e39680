"""Which device: asked for by name, or that of a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InvalidInputError, MissingDependencyError

_QUEUES = 2


def checked_device(device: Any) -> Any:
    """Return the torch device of this name, if this machine has it."""
    try:
        import torch
    except ImportError:
        raise MissingDependencyError(f"device={device!r} needs torch: pip install 'textveil[torch]'") from None
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError):
        raise InvalidInputError(f'device must be one of torch, such as "cpu" or "cuda" (got {device!r})') from None
    if found.type not in ("cpu", "cuda"):
        raise InvalidInputError(f'device must be "cpu" or "cuda" (got {device!r}): others have no float64')
    if found.type == "cuda" and not torch.cuda.is_available():
        raise InvalidInputError(
            f"torch finds no CUDA device on this machine (asked for {device!r}); leave the device out to use the cores"
        )
    if found.type == "cuda":
        # With its number, as tensors have it, and whatever the current device of another thread is.
        found = torch.device("cuda", torch.cuda.current_device() if found.index is None else found.index)
        if found.index >= torch.cuda.device_count():
            raise InvalidInputError(f"this machine has {torch.cuda.device_count()} CUDA devices (asked for {device!r})")
    return found


def device_here(kind: str | None) -> Any | None:
    """Return the device of this kind that a process sees, None if it sees none: answers are the same without."""
    if kind is None:
        return None
    with suppress(InvalidInputError, MissingDependencyError):
        return checked_device(kind)
    return None


def there(array: NDArray[Any], device: Any, kind: Any = None) -> Any:
    """Return an array as a tensor on a device, of this kind of numbers if one is named."""
    import torch

    # torch warns of arrays that can't be written to, and takes none that goes backwards.
    return torch.from_numpy(np.require(array, kind, ["C", "W"])).to(device)


def device_of(tensor: Any) -> AbstractContextManager[None]:
    """Make the device of a tensor the current one, on which Triton launches; the CPU leaves it as it is."""
    import torch

    chosen: AbstractContextManager[None] = torch.cuda.device_of(tensor)  # type: ignore[no-untyped-call, unused-ignore]
    return chosen


def finish(device: Any) -> None:
    """Wait until a device has done what this thread gave it: other threads and queues may then use what was made."""
    import torch

    if device.type == "cuda":
        torch.cuda.current_stream(device).synchronize()


@contextmanager
def own_queue(device: Any, number: int) -> Iterator[None]:
    """Do what follows in one of two queues of a CUDA device, beside what is done in the other.

    It waits for nothing: what it uses and did not make must be finished (`finish`).
    """
    import torch

    if device.type != "cuda":
        yield
        return
    with torch.cuda.stream(_queues(device)[number % _QUEUES]):
        yield


@cache
def _queues(device: Any) -> list[Any]:
    # Kept, since torch keeps memory for every one that it has seen.
    import torch

    return [torch.cuda.Stream(device) for _ in range(_QUEUES)]  # type: ignore[no-untyped-call, unused-ignore]


def accelerator_of(value: Any) -> Any | None:
    """Return the CUDA device of a torch tensor, None for what is in the machine's own memory."""
    if type(value).__module__.partition(".")[0] != "torch" or value.device.type == "cpu":
        return None
    if value.device.type != "cuda":
        raise InvalidInputError(
            f'tensors must be on "cpu" or "cuda" (got one on {value.device.type}): others have no float64; '
            "give tensor.cpu()"
        )
    return value.device
