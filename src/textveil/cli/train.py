"""textveil train: public models that mechanisms use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textveil.cli.running import Discard, Overwrite
from textveil.cli.train_autoencoder import autoencoder
from textveil.cli.train_recoder import recoder
from textveil.cli.training import require_target, resumable

# Nodes measured for the warning, and the MAP below which there is one.
_SAMPLE, _LOW_PRECISION = 1000, 0.5

app = typer.Typer(help="Train on public data what mechanisms use.", no_args_is_help=True)
app.command("recoder")(recoder)
app.command("autoencoder")(autoencoder)


@app.callback()
def _models() -> None:
    """Train on public data what mechanisms use."""


@app.command("poincare")
def poincare(
    source: Annotated[
        Path,
        typer.Argument(metavar="RELATIONS", help="Pairs (dog<tab>animal), counted pairs, or a folder of WordNet."),
    ],
    target: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The vocabulary: an .npz file.")],
    dimension: Annotated[int, typer.Option("--dimension", "-d", help="Of the ball.")] = 10,
    epochs: Annotated[int, typer.Option("--epochs", help="Passes over all nodes.")] = 600,
    negatives: Annotated[int, typer.Option("--negatives", help="Drawn per node and pass.")] = 50,
    rate: Annotated[float, typer.Option("--rate", help="Learning rate.")] = 0.1,
    burn_in: Annotated[
        float, typer.Option("--burn-in", help="Share of the epochs, the first, that go slowly.")
    ] = 0.167,
    seed: Annotated[int, typer.Option("--seed", help="Of everything random; exact with one thread.")] = 0,
    threads: Annotated[int | None, typer.Option("--threads", help="By default all cores.")] = None,
    closure: Annotated[
        bool | None,
        typer.Option("--closure/--no-closure", help="Add what follows: a is a c. By default unless counted."),
    ] = None,
    cycles: Annotated[bool, typer.Option("--allow-cycles", help="Train even if relations go in circles.")] = False,
    minimum_count: Annotated[int, typer.Option("--minimum-count", help="Least times that a pair was seen.")] = 1,
    minimum_links: Annotated[int, typer.Option("--minimum-links", help="Least pairs of a word.")] = 1,
    within: Annotated[Path | None, typer.Option("--within", help="Only words of this list, one a line.")] = None,
    without: Annotated[Path | None, typer.Option("--without", help="No words of this list, one a line.")] = None,
    every: Annotated[int, typer.Option("--every", help="Epochs between two lines of the curve.")] = 50,
    exact: Annotated[bool, typer.Option("--exact", help="At the end measure all nodes, not a sample.")] = False,
    overwrite: Overwrite = False,
    discard: Discard = False,
) -> None:
    """Train a hyperbolic vocabulary from IS-A relations. Interrupted? Give the same command again."""
    from textveil.learn.hierarchies import read_hierarchy
    from textveil.learn.poincare import Recipe, train
    from textveil.learn.reconstruction import reconstruction
    from textveil.learn.relation_files import read_words

    require_target(target, "OUT", overwrite=overwrite)
    recipe = Recipe(dimension=dimension, epochs=epochs, negatives=negatives, rate=rate, burn_in=burn_in, seed=seed)
    hierarchy = read_hierarchy(
        source,
        closure=closure,
        cycles=cycles,
        minimum_count=minimum_count,
        minimum_links=minimum_links,
        within=None if within is None else read_words(within),
        without=() if without is None else read_words(without),
    )
    relations = hierarchy.relations
    typer.echo(f"{len(relations):,} pairs of {len(relations.names):,} names")
    with resumable(target, discard=discard) as checkpoint:
        points = train(relations, recipe, threads=threads, checkpoint=checkpoint, every=every, report=typer.echo)
        quality = reconstruction(points, relations, sample=None if exact else _SAMPLE, threads=threads)
        if exact:
            typer.echo(quality)
        vocabulary = hierarchy.vocabulary(points)
        vocabulary.save(target)
    typer.echo(f"{target}: {vocabulary}")
    if (precision := quality.mean_average_precision) < _LOW_PRECISION:
        typer.echo(
            f"textveil: warning: MAP is {precision:.2f}, where 1 is perfect: distances hardly show what is above what; "
            "train longer (--epochs), or with fewer --negatives if there are few names",
            err=True,
        )
