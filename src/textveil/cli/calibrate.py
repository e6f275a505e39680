"""textveil calibrate: choose epsilon by what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli.options import Epsilon, Radius, Size, Table, Unchanged, Weights, mechanism_of, vocabulary_of
from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.mechanisms.words import WordMechanism

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


def run(
    unchanged: Unchanged = None,
    epsilon: Epsilon = None,
    radius: Radius = "auto",
    weights: Weights = None,
    vocabulary: Table = None,
    size: Size = 30_000,
    deniability: Deniability = None,
    factor: Factor = 2.0,
    share: Share = 1.0,
) -> None:
    """Find epsilon by what it does: words that stay, or words that are as plausible. Calibrations are kept."""
    from textveil.measure.calibration import unchanged as share_unchanged
    from textveil.measure.deniability import deniable

    table = vocabulary_of(vocabulary, size)

    def make(value: float | None) -> WordMechanism:
        return mechanism_of(
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
    if deniability is not None:
        typer.echo(
            f"plausible  at least {deniability:,} words within a factor {factor:g}, for {share:.4g} of all words"
        )
    typer.echo(f"unchanged  {share_unchanged(made):.2%} of the words of the vocabulary, on average")
    typer.echo(f"\n{made.guarantee}")
