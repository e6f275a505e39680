"""textveil calibrate: choose epsilon by what it does."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli.options import (
    WORDS,
    Device,
    Epsilon,
    Radius,
    Size,
    Table,
    Unchanged,
    Weights,
    mechanism_of,
    vocabulary_of,
)
from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.mechanisms.exponential import Exponential

Deniability = Annotated[
    int | None,
    typer.Option(
        "--deniability",
        help="Choose epsilon so that at least this many words are as plausible, whatever "
        "comes out; the true one counts.",
    ),
]
Factor = Annotated[float, typer.Option("--factor", help="With --deniability: as plausible within this factor.")]
Share = Annotated[float, typer.Option("--share", help="With --deniability: for this share of the words; 1 for all.")]
Picture = Annotated[
    Path | None,
    typer.Option(
        "--picture",
        help="Draw how often words stay, how many outputs they have and how many words are as plausible, at this "
        "epsilon and around it: .svg, .png or .pdf. In a large vocabulary it takes minutes.",
    ),
]
_AROUND = (0.25, 0.5, 1.0, 2.0, 4.0)


def run(
    unchanged: Unchanged = None,
    epsilon: Epsilon = None,
    radius: Radius = "auto",
    weights: Weights = None,
    vocabulary: Table = None,
    size: Size = WORDS,
    device: Device = None,
    deniability: Deniability = None,
    factor: Factor = 2.0,
    share: Share = 1.0,
    picture: Picture = None,
) -> None:
    """Find epsilon by what it does: words that stay, or words that are as plausible. Calibrations are kept."""
    from textveil.measure.calibration import unchanged as share_unchanged
    from textveil.measure.deniability import deniable
    from textveil.measure.picture import kind_of

    if picture is not None:
        kind_of(picture)
    table = vocabulary_of(vocabulary, size, device)

    def make(value: float | None) -> Exponential:
        return mechanism_of(  # type: ignore[return-value]
            table, name="exponential", epsilon=value, unchanged=unchanged, radius=radius, weights=weights
        )

    if deniability is None:
        made = make(epsilon)
    elif epsilon is not None or unchanged is not None:
        raise InvalidInputError("choose one of --epsilon, --unchanged and --deniability")
    else:
        made = deniable(make, table, words=deniability, factor=factor, share=share)
    typer.echo(f"epsilon    {made.guarantee.epsilon:.4g} per unit of distance")
    cut = made.guarantee.relation.radius
    if cut is not None:
        typer.echo(f"radius     {cut:.4g}: the loss of a word never passes {made.guarantee.epsilon * cut:.4g}")
    typer.echo(f"weights    {made.weights or 'none'}")
    if deniability is not None:
        whom = "all words" if share == 1 else f"{100 * share:.4g}% of all words"
        typer.echo(f"plausible  at least {deniability:,} words within a factor {factor:g}, for {whom}")
    typer.echo(f"unchanged  {share_unchanged(made):.2%} of the words of the vocabulary, on average")
    typer.echo(f"options    {_options(made, vocabulary, size)}")
    typer.echo(f"\n{made.guarantee}")
    if picture is not None:
        _draw(made, factor, picture)
        typer.echo(f"\nDrawn in {picture}.")


def _options(made: Exponential, vocabulary: Path | None, size: int) -> str:
    """Return the options that describe this very mechanism to other commands."""
    given = [] if vocabulary is None else ["--vocabulary", str(vocabulary)]
    if size != WORDS:
        given += ["--words", str(size)]
    cut = "none" if made.radius is None else repr(made.radius)
    return shlex.join(
        [*given, "--epsilon", repr(made.epsilon), "--radius", cut, "--weights", str(made.weights or "none")]
    )


def _draw(made: Exponential, factor: float, picture: Path) -> None:
    from textveil.measure.picture import save_picture
    from textveil.measure.statistics import statistics
    from textveil.measure.statistics.picture import draw
    from textveil.progress import progress

    measured = []
    with progress("drawing", len(_AROUND)) as step:
        for times in _AROUND:
            mechanism = made if times == 1 else replace(made, epsilon=times * made.epsilon).calibrate()
            measured.append(statistics(mechanism, factor=factor))
            step()
    save_picture(draw(measured, deniability=True), picture)
