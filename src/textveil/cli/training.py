"""What all `train` commands do with OUT: refuse one that is there, keep the unfinished training beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from textveil.cli.outputs import refuse_existing
from textveil.errors import InvalidInputError


def require_target(target: Path, name: str, *, overwrite: bool) -> None:
    """Refuse a target that can't be written or that holds something."""
    if target.suffix != ".npz" or not target.parent.is_dir():
        raise InvalidInputError(f"{name} must be an .npz file in a folder that exists (got {target})")
    refuse_existing(target, overwrite=overwrite)


@contextmanager
def resumable(target: Path, *, discard: bool) -> Iterator[Path]:
    """Give the file of the unfinished training; say how to go on if it is interrupted, delete it once all is saved."""
    from textveil.learn.checkpoints import TrainingInterrupted

    checkpoint = target.with_name(target.name + ".checkpoint")
    if discard:
        checkpoint.unlink(missing_ok=True)
    try:
        yield checkpoint
    except TrainingInterrupted as stopped:
        typer.echo(f"textveil: {stopped}", err=True)
        raise typer.Exit(130) from None
    checkpoint.unlink(missing_ok=True)
