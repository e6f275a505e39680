"""Which device: asked for by name, or that of a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

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
        raise InvalidInputError(f"torch finds no CUDA device on this machine (asked for {device!r}); use device=None")
    return found


def there(array: Any, device: Any) -> Any:
    """Return an array or a tensor as a tensor on a device."""
    import torch

    if isinstance(array, torch.Tensor):
        return array.to(device)
    # torch warns of arrays that can't be written to.
    return torch.from_numpy(array if array.flags.writeable else array.copy()).to(device)


@contextmanager
def own_queue(device: Any, number: int) -> Iterator[None]:
    """Do what follows in one of two queues of a CUDA device, beside what is done in the other."""
    import torch

    if device.type != "cuda":
        yield
        return
    queue = _queues(device)[number % _QUEUES]
    queue.wait_stream(torch.cuda.default_stream(device))
    with torch.cuda.stream(queue):
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
