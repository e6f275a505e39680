"""textveil explain: what happens to a word."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textveil.cli.options import (
    WORDS,
    Device,
    Epsilon,
    Name,
    Radius,
    Size,
    Table,
    Unchanged,
    Weights,
    mechanism_of,
    vocabulary_of,
)
from textveil.errors import InvalidInputError


def run(
    words: Annotated[list[str], typer.Argument(help="Words to explain.")],
    epsilon: Epsilon = None,
    unchanged: Unchanged = None,
    mechanism: Name = "exponential",
    radius: Radius = "auto",
    weights: Weights = None,
    vocabulary: Table = None,
    size: Size = WORDS,
    device: Device = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", help="Draw one word and its likely replacements: .svg, .png or .pdf."),
    ] = None,
) -> None:
    """Say what happens to words: the chance to stay, likely replacements, what an attacker learns."""
    if picture is not None:
        from textveil.measure.picture import draw_word, kind_of, save_picture

        kind_of(picture)
        if len(words) != 1:
            raise InvalidInputError(f"--picture draws one word (got {len(words)})")
    made = mechanism_of(
        vocabulary_of(vocabulary, size, device),
        name=mechanism,
        epsilon=epsilon,
        unchanged=unchanged,
        radius=radius,
        weights=weights,
    )
    if not hasattr(made, "explain"):
        raise InvalidInputError("explain needs a law that is known exactly: use --mechanism exponential")
    typer.echo(f"{made.guarantee}\n")
    for word in words:
        typer.echo(f"{made.explain(word)}\n")
    if picture is not None:
        save_picture(draw_word(made, words[0]), picture)
        typer.echo(f"Drawn in {picture}.")
