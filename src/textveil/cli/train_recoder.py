"""textveil train recoder: a public network that moves sentence vectors so that clusters of documents are spread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textveil.cache import cache_folder
from textveil.cli.running import Discard, Overwrite
from textveil.cli.training import require_target, resumable

if TYPE_CHECKING:
    from textveil.hashing import Packed


def recoder(
    source: Annotated[
        Path,
        typer.Argument(metavar="PUBLIC_DOCUMENTS", help="txt (a line a document), csv, jsonl, parquet, or a folder."),
    ],
    target: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The recoder: an .npz file.")],
    encoder: Annotated[
        str, typer.Option("--encoder", help="words, minilm, minilm-int8, or a sentence-transformers folder or name.")
    ] = "minilm",
    clusters: Annotated[int, typer.Option("--clusters", help="Of documents, to be kept and spread.")] = 50,
    dimension: Annotated[
        int | None, typer.Option("--dimension", "-d", help="Of a recoded vector; by default as before.")
    ] = None,
    layers: Annotated[int, typer.Option("--layers", help="Of the network.")] = 4,
    epochs: Annotated[int, typer.Option("--epochs", help="Passes over all documents.")] = 8,
    rate: Annotated[float, typer.Option("--rate", help="Learning rate.")] = 1e-3,
    seed: Annotated[int, typer.Option("--seed", help="Of everything random.")] = 0,
    column: Annotated[str | None, typer.Option("--column", help="Which column or key holds the documents.")] = None,
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Whether the first row of a csv file names columns.")
    ] = None,
    overwrite: Overwrite = False,
    discard: Discard = False,
) -> None:
    """Train a recoder on public documents. Interrupted? Give the same command again. Needs torch."""
    from textveil.cli.embed import encoder_of
    from textveil.encoders import public_vectors
    from textveil.encoders.encoder import readable
    from textveil.learn.recoder import Recipe, train
    from textveil.text.documents import all_sentences

    require_target(target, "OUT", overwrite=overwrite)
    recipe = Recipe(clusters=clusters, dimension=dimension, layers=layers, epochs=epochs, rate=rate, seed=seed)
    sentences, offsets = all_sentences(_documents(source, column, header))
    chosen = encoder_of(encoder, None, None)
    typer.echo(f"{len(sentences):,} sentences of {len(offsets) - 1:,} documents")
    with resumable(target, discard=discard) as checkpoint:
        vectors = public_vectors(chosen, readable(sentences), cache=cache_folder() / "vectors")
        made = train(vectors, offsets, recipe, encoder=chosen.digest, checkpoint=checkpoint, report=typer.echo)
        made.save(target)
    typer.echo(f"{target}: recodes {made.takes} numbers into {made.dimension}, sha256 {made.digest[:12]}")


def _documents(source: Path, column: str | None, header: bool | None) -> Packed:
    """Return the public documents of files that have a sentence at least."""
    from itertools import pairwise

    from textveil.cli.running import column_of
    from textveil.files import Holds, Selection, open_source, shards_of
    from textveil.hashing import Packed
    from textveil.text.documents import sentences_of

    selection = Selection(column=column_of(column), header=header, holds=Holds.DOCUMENTS)
    found = []
    for shard in shards_of(source, holds=Holds.DOCUMENTS).files:
        for batch in open_source(shard.path, shard.format, selection).batches():
            items: Any = batch.items
            found += [items.data[first:last].tobytes() for first, last in pairwise(items.offsets.tolist())]
    return Packed.of([document for document in found if sentences_of(document)])
