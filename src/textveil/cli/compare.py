"""textveil compare: what every mechanism is worth at an equal guarantee, and what attackers get."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli.options import WORDS, Device, vocabulary_of
from textveil.cli.outputs import refuse_inputs
from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.measure.compare import Frontier
    from textveil.vocabulary import Vocabulary

_RELEASES = ("words", "vectors")
_QUICK_SIZE, _QUICK_TEXTS = 3000, 1000

Table = Annotated[
    Path | None,
    typer.Option("--vectors", help="Word vectors: GloVe, word2vec, gensim, npz; or hyperbolic. Default: GloVe 6B."),
]
Data = Annotated[
    Path | None,
    typer.Option("--data", help="Public texts with classes, .tsv or .csv (also .gz, .xz), to try releases on."),
]


def run(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Page to write (.html); a table (.csv) and a picture (.png) beside it."),
    ] = Path("frontier.html"),
    vectors: Table = None,
    size: Annotated[int | None, typer.Option("--words", help="Only the first so many words of the table.")] = None,
    release: Annotated[
        str, typer.Option("--release", help="words, or vectors (of words; of texts with --data).")
    ] = "words",
    data: Data = None,
    text_column: Annotated[str, typer.Option("--text-column", help="Column of --data that has the texts.")] = "text",
    label_column: Annotated[
        str, typer.Option("--label-column", help="Column of --data that has the classes.")
    ] = "label",
    only: Annotated[
        str | None, typer.Option("--only", help="Some mechanisms, by name: exponential,laplace, say.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer words, texts and releases: minutes at most.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Public number that all random draws follow from.")] = 0,
    again: Annotated[bool, typer.Option("--again", help="Measure anew what an earlier run has left.")] = False,
    device: Device = None,
) -> None:
    """Draw the frontier of privacy and utility: all mechanisms at an equal guarantee, on public data.

    What was measured is kept, so that a run that was interrupted goes on where it was.
    """
    if release not in _RELEASES:
        raise InvalidInputError(f"--release must be words or vectors (got {release})")
    if output.suffix != ".html":
        raise InvalidInputError(f"--output must end in .html (got {output.name})")
    if not output.parent.is_dir():
        raise InvalidInputError(f"there is no folder {output.parent}; make it first")
    beside = [output.with_suffix(".csv"), output.with_suffix(".png")]
    refuse_inputs([output, *beside], [vectors, data])
    if not output.exists() and (others := [path for path in beside if path.exists()]):
        raise InvalidInputError(
            f"{others[0]} exists, and no comparison made it, as there is no {output}; give another --output"
        )
    if size is not None and size < 2:
        raise InvalidInputError(f"--words must be at least 2 (got {size})")
    from textveil.measure.compare.tables import read_texts

    most = _QUICK_TEXTS if quick else None
    rows = None if data is None else read_texts(data, text=text_column, label=label_column, most=most)
    vocabulary = vocabulary_of(vectors, size or WORDS)
    most_words = min(size or len(vocabulary), _QUICK_SIZE if quick else len(vocabulary))
    if len(vocabulary) > most_words:
        vocabulary = vocabulary.subset(most_words)
    if device is not None:
        vocabulary = vocabulary.on(device)
    chosen = None if only is None else [name.strip() for name in only.split(",")]
    made = _compared(vocabulary, release, rows, quick=quick, seed=seed, again=again, only=chosen)
    for finding in made.findings:
        typer.echo(finding)
    typer.echo(f"Written: {', '.join(str(path) for path in _written(made, output))}.")


def _compared(
    vocabulary: Vocabulary,
    release: str,
    rows: tuple[list[str], list[str]] | None,
    *,
    quick: bool,
    seed: int,
    again: bool,
    only: list[str] | None,
) -> Frontier:
    import numpy as np

    from textveil.measure.compare import compare_vectors, compare_words
    from textveil.measure.compare.setting import QUICK, Sizes
    from textveil.measure.compare.texts import Texts

    sizes = QUICK if quick else Sizes()
    texts = None if rows is None else Texts.of(*rows, vocabulary)
    if release == "words":
        return compare_words(vocabulary, sizes=sizes, texts=texts, seed=seed, again=again, only=only)
    points = vocabulary.points if texts is None else texts.vectors(texts.words)
    return compare_vectors(
        np.asarray(points, dtype=np.float64),
        sizes=sizes,
        task=texts.task if texts else None,
        what="vectors of words" if texts is None else "vectors of texts",
        seed=seed,
        again=again,
        only=only,
    )


def _written(made: Frontier, output: Path) -> list[Path]:
    """Write the page, the table and, where matplotlib is installed, the picture."""
    from textveil.durable import write_whole
    from textveil.errors import MissingDependencyError
    from textveil.measure.compare.page import page
    from textveil.measure.compare.picture import draw
    from textveil.measure.picture import save_picture

    written = [output, output.with_suffix(".csv")]
    write_whole(output, page(made).encode())
    write_whole(written[1], made.as_csv().encode())
    try:
        save_picture(draw(made), output.with_suffix(".png"))
        written.append(output.with_suffix(".png"))
    except MissingDependencyError as error:
        typer.echo(f"textveil: no picture: {error}", err=True)
    return written
