"""Options that several commands share, and the mechanism they describe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.mechanisms.words import WordMechanism
    from textveil.vocabulary import Vocabulary

# Words of the default vocabulary, where nobody asks for more or fewer.
WORDS = 30_000
# Mechanisms of words, by the name that --mechanism has for them.
OF_WORDS = ("exponential", "nearest")

Epsilon = Annotated[
    float | None, typer.Option("--epsilon", "-e", help="Loss per unit of distance between words. See also --unchanged.")
]
Unchanged = Annotated[
    float | None, typer.Option("--unchanged", help="Choose epsilon so that at most this share of words stays as it is.")
]
Name = Annotated[str, typer.Option("--mechanism", "-m", help="exponential, or nearest (noise, then the nearest word).")]
Radius = Annotated[
    str,
    typer.Option(
        "--radius",
        help='Where distances stop counting: a number, "none", or "auto" (none if there are weights).',
        show_default=True,
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        help='"general" replaces special words by more general ones: the default with --epsilon in a hyperbolic '
        'vocabulary. "tight" keeps the most words for its epsilon (at most 30,000 words). "none" for neither.',
    ),
]
Table = Annotated[
    Path | None,
    typer.Option("--vocabulary", help="Word vectors: GloVe, word2vec, gensim, npz; or hyperbolic. Default: GloVe 6B."),
]
Size = Annotated[int, typer.Option("--words", help="Most words of the default or hyperbolic vocabulary.")]
Device = Annotated[
    str | None,
    typer.Option("--device", help="Where words are compared and searched, such as cuda; by default on the cores."),
]


def vocabulary_of(path: Path | None, size: int, device: str | None = None) -> Vocabulary:
    """Return the vocabulary at a path, the hyperbolic one that comes with textveil, or the default one."""
    from textveil.spaces import Euclidean
    from textveil.vocabulary import Vocabulary
    from textveil.vocabulary.hyperbolic import WORDS as MOST_NOUNS

    if path == Path("hyperbolic"):
        vocabulary = Vocabulary.hyperbolic(min(size, MOST_NOUNS))
    else:
        vocabulary = Vocabulary.default(size) if path is None else Vocabulary.load(path)
    if device is None:
        return vocabulary
    if not isinstance(vocabulary.space, Euclidean):
        raise InvalidInputError(
            "--device would do nothing: hyperbolic distances are computed on the cores; leave it out"
        )
    return vocabulary.on(device)


def mechanism_of(
    vocabulary: Vocabulary,
    *,
    name: str,
    epsilon: float | None,
    unchanged: float | None,
    radius: str,
    weights: str | None,
    precision: str = "exact",
) -> WordMechanism:
    """Return the word mechanism that the options describe, calibrated."""
    from textveil.measure.calibration import calibrate
    from textveil.mechanisms import Exponential, Laplace, NearestWord

    if epsilon is not None and unchanged is not None:
        raise InvalidInputError("give --epsilon or --unchanged, not both: each says how strong the noise is")
    if epsilon is None and unchanged is None:
        raise InvalidInputError(
            "choose how strong: --epsilon 3 (loss per unit of distance) or --unchanged 0.2 (share of words that stay)"
        )
    if name not in OF_WORDS:
        raise InvalidInputError(f"--mechanism must be {' or '.join(OF_WORDS)} (got {name})")
    if name == "nearest":
        for option, given in (("radius", radius != "auto"), ("weights", weights is not None)):
            if given:
                raise InvalidInputError(f"--{option} would do nothing: it is for --mechanism exponential; leave it out")
    if name == "exponential" and precision != "exact":
        raise InvalidInputError("--precision would do nothing: the choice of exponential is exact always; leave it out")
    chosen = _weights(weights, vocabulary, by_epsilon=epsilon is not None)
    cut = None if chosen and radius == "auto" else _radius(radius)

    def make(value: float) -> WordMechanism:
        if name == "nearest":
            return NearestWord(vocabulary, Laplace(epsilon=value, dimension=vocabulary.dimension, precision=precision))
        return Exponential(vocabulary, epsilon=value, radius=cut, weights=chosen).calibrate()

    if epsilon is not None:
        return make(epsilon)
    return calibrate(make, target="unchanged", at_most=unchanged, start=3.0)


def _weights(text: str | None, vocabulary: Vocabulary, *, by_epsilon: bool) -> str | None:
    from textveil.spaces import Poincare

    if text is None:
        # How many words stay does not grow with epsilon where words become general ones, so it can't be chosen by that.
        return "general" if by_epsilon and isinstance(vocabulary.space, Poincare) else None
    if text not in ("none", "general", "tight"):
        raise InvalidInputError(f'--weights must be "general", "tight" or "none" (got {text})')
    return None if text == "none" else text


def _radius(text: str) -> float | str | None:
    if text in ("auto", "none"):
        return None if text == "none" else "auto"
    try:
        return float(text)
    except ValueError:
        raise InvalidInputError(f'--radius must be a number, "auto" or "none" (got {text})') from None
