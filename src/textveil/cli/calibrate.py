"""textveil calibrate: choose epsilon by what it does."""

from __future__ import annotations

import typer

from textveil.cli.options import Epsilon, Radius, Size, Table, Unchanged, Weights, mechanism_of, vocabulary_of


def run(
    unchanged: Unchanged = None,
    epsilon: Epsilon = None,
    radius: Radius = "auto",
    weights: Weights = None,
    vocabulary: Table = None,
    size: Size = 30_000,
) -> None:
    """Find the epsilon that leaves a share of words unchanged, and keep the calibration for later runs."""
    from textveil.measure.calibration import unchanged as share_unchanged

    made = mechanism_of(
        vocabulary_of(vocabulary, size),
        name="exponential",
        epsilon=epsilon,
        unchanged=unchanged,
        radius=radius,
        weights=weights,
    )
    typer.echo(f"epsilon    {made.guarantee.epsilon:.4g} per unit of distance")
    cut = made.guarantee.relation.radius
    if cut is not None:
        typer.echo(f"radius     {cut:.4g}: the loss of a word never passes {made.guarantee.epsilon * cut:.4g}")
    typer.echo(f"unchanged  {share_unchanged(made):.2%} of the words of the vocabulary, on average")
    typer.echo(f"\n{made.guarantee}")
