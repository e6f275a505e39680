"""textveil train autoencoder: public utterances in, a model for `rewrite --mechanism adept` out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from textveil.cli.running import Discard, Overwrite
from textveil.cli.training import require_target, resumable


def autoencoder(
    source: Annotated[
        Path,
        typer.Argument(metavar="PUBLIC", help="Public utterances: txt (one a line), csv, jsonl, parquet, a folder."),
    ],
    target: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model: an .npz file.")],
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="Train for the noise of this epsilon,")] = 8.0,
    up_to: Annotated[float | None, typer.Option("--up-to", help="or of all from --epsilon up to this one.")] = None,
    noise: Annotated[str, typer.Option("--noise", help="privunit, or published (ADePT's own, refuted).")] = "privunit",
    latent: Annotated[int, typer.Option("--latent", help="Numbers that an utterance passes through.")] = 4,
    clip: Annotated[float, typer.Option("--clip", help="The largest length of that vector.")] = 1.0,
    hidden: Annotated[int, typer.Option("--hidden", help="Size of the network.")] = 128,
    length: Annotated[int, typer.Option("--length", help="Most words of an utterance; longer ones are cut.")] = 24,
    words: Annotated[int, typer.Option("--words", help="Most words known; all others are one unknown word.")] = 3000,
    epochs: Annotated[int, typer.Option("--epochs", help="Passes over all utterances.")] = 20,
    rate: Annotated[float, typer.Option("--rate", help="Learning rate.")] = 4e-3,
    seed: Annotated[int, typer.Option("--seed", help="Of everything random.")] = 0,
    threads: Annotated[int | None, typer.Option("--threads", help="By default all cores.")] = None,
    device: Annotated[str, typer.Option("--device", help="Of torch: cpu, cuda.")] = "cpu",
    column: Annotated[str | None, typer.Option("--column", "-c", help="Which column or key holds them.")] = None,
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Whether the first row of a csv file names columns.")
    ] = None,
    overwrite: Overwrite = False,
    discard: Discard = False,
) -> None:
    """Train an auto-encoder on public utterances. Interrupted? Give the same command again. Needs torch."""
    from textveil.learn.autoencoder.network import Shape
    from textveil.learn.autoencoder.training import Recipe, train

    require_target(target, "MODEL", overwrite=overwrite)
    recipe = Recipe(
        shape=Shape(latent=latent, clip=clip, hidden=hidden),
        length=length,
        words=words,
        noise=noise,
        epsilon=epsilon,
        up_to=up_to,
        epochs=epochs,
        rate=rate,
        seed=seed,
    )
    texts = _texts(source, column, header)
    typer.echo(f"{len(texts):,} public utterances; none of them may be among those that you release")
    with resumable(target, discard=discard) as checkpoint:
        made = train(texts, recipe, threads=threads, device=device, checkpoint=checkpoint, report=typer.echo)
        made.save(target)
    typer.echo(f"{target}: {made}, sha256 {made.digest[:12]}")


def _texts(source: Path, column: str | None, header: bool | None) -> list[str]:
    from textveil.cli.running import column_of
    from textveil.encoders.encoder import readable
    from textveil.files import Holds, Selection, open_source, shards_of
    from textveil.hashing import Packed

    selection = Selection(column=column_of(column), header=header, holds=Holds.TEXTS)
    return [
        text
        for shard in shards_of(source, None, Holds.TEXTS).files
        for batch in open_source(shard.path, shard.format, selection).batches()
        if isinstance(batch.items, Packed)
        for text in readable(batch.items)
        if text.strip()
    ]
