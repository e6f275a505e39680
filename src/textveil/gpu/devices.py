"""Which device: asked for by name, or that of a tensor."""

from __future__ import annotations

from typing import Any

from textveil.errors import InvalidInputError, MissingDependencyError


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
