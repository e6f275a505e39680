"""textveil demo: a small text rewritten at two strengths, its guarantee, and a picture of what epsilon does."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.cli import demo_adept
from textveil.cli.options import WORDS
from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from rich.text import Text

    from textveil.mechanisms.exponential import Exponential

SHARES = (0.25, 0.75)
WORD = "insulin"


def run(
    what: Annotated[str, typer.Argument(help="words, or adept: whole utterances.")] = "words",
    plot: Annotated[Path, typer.Option("--plot", help="Where to write the picture.")] = Path("textveil-demo.png"),
    seed: Annotated[int | None, typer.Option("--seed", help="Repeatable noise: NOT private, for tests.")] = None,
) -> None:
    """Rewrite a small text at two strengths; print what changed and what is promised; draw what epsilon does."""
    if what == "adept":
        demo_adept.show(seed)
        return
    if what != "words":
        raise InvalidInputError(f"the demos are words and adept (got {what})")
    from rich.console import Console

    from textveil.measure.calibration import calibrate
    from textveil.measure.picture import kind_of
    from textveil.mechanisms.exponential import Exponential
    from textveil.randomness import RandomSource
    from textveil.text import TextRewriter
    from textveil.vocabulary import Vocabulary

    kind_of(plot)
    console = Console(highlight=False)
    vocabulary = Vocabulary.default(WORDS)
    text = files("textveil.cli").joinpath("demo.txt").read_text(encoding="utf-8")
    console.rule("the original")
    console.print(text, style="dim")
    made = []
    for share in SHARES:
        mechanism = calibrate(
            lambda epsilon: Exponential(vocabulary, epsilon=epsilon, radius="auto"),
            target="unchanged",
            at_most=share,
            start=2.5,
        )
        made.append(mechanism)
        rewriter = TextRewriter(mechanism)
        source = None if seed is None else RandomSource.seeded(seed)
        rewritten = rewriter.release(text.splitlines(), source=source)
        console.rule(f"epsilon {mechanism.epsilon:.3g}: {mechanism.law.kept:.0%} of the words of the vocabulary stay")
        for before, after in zip(text.splitlines(), rewritten, strict=True):
            console.print(_marked(before, after))
    console.print("\n[bold]bold[/bold]: changed. A word may stay by chance; nobody can tell that it did.\n")
    console.rule("what is promised at the stronger of the two")
    console.print(str(TextRewriter(made[0]).guarantee))
    console.print(f"\n{made[0].explain(WORD)}")
    _draw(made, plot)


def _marked(before: str, after: str) -> Text:
    """The rewritten line, with what changed in bold."""
    from rich.text import Text

    from textveil.text.tokens import words_in

    originals = [before[start:end].casefold() for start, end in words_in(before)]
    marked = Text(after)
    spans = list(words_in(str(marked)))
    if len(spans) == len(originals):
        for (start, end), original in zip(spans, originals, strict=True):
            if str(marked)[start:end].casefold() != original:
                marked.stylize("bold", start, end)
    return marked


def _draw(made: list[Exponential], path: Path) -> None:
    """Two bars of what replaces a word, and the share of words kept against epsilon."""
    import numpy as np

    from textveil.errors import MissingDependencyError
    from textveil.measure.picture import blank, save_picture
    from textveil.mechanisms.exponential.law import neighbourhood_radius
    from textveil.mechanisms.exponential.shipped import certified_points
    from textveil.vocabulary import Vocabulary

    try:
        figure = blank(11, 4.2)
    except MissingDependencyError:
        typer.echo("\nThe picture needs matplotlib: pip install 'textveil[plot]'")
        return
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
    small = Vocabulary.default(4000)
    auto = neighbourhood_radius(small)
    for radius, style, label in ((np.inf, "--", "plain"), (auto, "-", "truncated: loss of a word is bounded")):
        epsilons, kept = certified_points(small, np.linspace(0.25, 5, 40), radius)
        left.plot(epsilons, kept, style, color="#0072b2", label=label)
    left.set(xlabel="epsilon (per unit of distance)", ylabel="share of words that stay", xlim=(0.5, 5), ylim=(0, 1))
    left.set_title("What epsilon does (4,000 words)", fontsize=11)
    left.legend(frameon=False, fontsize=9)
    explained = [mechanism.explain(WORD) for mechanism in made]
    names = [WORD, *(word for word, _ in explained[1].replacements[:7])]
    places = np.arange(len(names))
    for index, (mechanism, told) in enumerate(zip(made, explained, strict=True)):
        row = mechanism.transition_rows(mechanism.vocabulary.ids([WORD]))[0]
        chances = row[mechanism.vocabulary.ids(names)]
        label = f"epsilon {mechanism.epsilon:.2g}: stays {told.stays:.0%}"
        right.barh(places + 0.38 * index, chances, height=0.36, color=("#e69f00", "#0072b2")[index], label=label)
    right.set(yticks=places + 0.19, yticklabels=names, xlabel="chance to come out (log scale)", xscale="log")
    right.invert_yaxis()
    right.set_title(f'What "{WORD}" becomes', fontsize=11)
    right.legend(frameon=False, fontsize=9)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    save_picture(figure, path)
    typer.echo(f"\nPicture: {path}")
