"""The options of commands that rewrite whole utterances, and the mechanism they describe."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.errors import InvalidInputError, require_positive

if TYPE_CHECKING:
    from textveil.mechanisms.adept import Adept

Name = Annotated[
    str,
    typer.Option(
        "--mechanism", "-m", help="exponential, nearest (noise, then the nearest word), or adept (whole utterances)."
    ),
]
Model = Annotated[
    Path | None,
    typer.Option(
        "--model", help="Of adept: what `train autoencoder` made; by default the one that comes with textveil."
    ),
]
Beam = Annotated[
    int | None,
    typer.Option(
        "--beam", help="Of adept: write the likeliest utterance, keeping so many at a time; by default words are drawn."
    ),
]


def adept_of(
    name: str, epsilon: float | None, model: Path | None, beam: int | None, *, not_for_it: Sequence[str] = ()
) -> Adept:
    """Return the mechanism for utterances that the options describe; options of words are refused by their names."""
    from textveil.learn.autoencoder import AutoEncoder
    from textveil.mechanisms.adept import Adept

    if name != "adept":
        raise InvalidInputError(f"--model and --beam are for --mechanism adept (got {name})")
    if not_for_it:
        raise InvalidInputError(f"--mechanism adept rewrites whole utterances: omit {', '.join(not_for_it)}")
    if epsilon is None:
        raise InvalidInputError("choose how strong: --epsilon 8 (the loss between any two utterances)")
    require_positive("epsilon", epsilon)
    codec = AutoEncoder.default(beam=beam or 0) if model is None else AutoEncoder.load(model, beam=beam or 0)
    low, high = codec.epsilons
    if not low <= epsilon <= high:
        typer.echo(
            f"textveil: the model was trained for epsilon {low:g} to {high:g}; at {epsilon:g} the promise is the same, "
            "but what it writes may be worse",
            err=True,
        )
    return Adept(codec, epsilon=epsilon)
