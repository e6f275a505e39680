"""The mechanisms that `textveil audit` knows by name, each with a small instance for what is not given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.encoders import AveragedWords
    from textveil.mechanisms.candidates import Candidates
    from textveil.mechanisms.mechanism import Mechanism
    from textveil.text import TextRewriter
    from textveil.vocabulary import Vocabulary

_WORDS = {"words": 300}
_CANDIDATES = 200


@dataclass(frozen=True)
class Kind:
    """A kind of mechanism.

    Parameters
    ----------
    make : from parameters, by keyword
    defaults : the small instance that is audited where nothing is given
    takes : what else may be given
    others : what else `--all` audits, by what differs from the defaults
    """

    make: Callable[..., Mechanism]
    defaults: Mapping[str, Any]
    takes: tuple[str, ...] = ()
    others: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Instance:
    """A mechanism, and how it came about: what was given, and what was chosen for want of it."""

    name: str
    mechanism: Mechanism
    given: Mapping[str, Any]
    chosen: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The name with what was given."""
        return " ".join(filter(None, (self.name, _listed(self.given))))

    def __str__(self) -> str:
        return self.title + (f"; by default {_listed(self.chosen)}" if self.chosen else "")


def instance(name: str, given: Mapping[str, Any]) -> Instance:
    """Return the mechanism of a name, with the parameters that were given."""
    if name not in KINDS:
        near = get_close_matches(name, KINDS, n=1)
        remedy = f"did you mean {near[0]}?" if near else f"there are {', '.join(KINDS)}"
        raise InvalidInputError(f"there is no mechanism {name!r}, and it is not module:function; {remedy}")
    kind = KINDS[name]
    allowed = (*kind.defaults, *kind.takes)
    for parameter in given:
        if parameter not in allowed:
            options = ", ".join(f"--{other.replace('_', '-')}" for other in allowed)
            raise InvalidInputError(f"--{parameter.replace('_', '-')} is not for {name}, which takes {options}")
    chosen = {parameter: value for parameter, value in kind.defaults.items() if parameter not in given}
    if "vocabulary" in given:
        chosen.pop("words", None)
    return Instance(name, kind.make(**chosen, **given), given, chosen)


def every_instance() -> list[Callable[[], Instance]]:
    """Return a way to make each mechanism of textveil, in each of its variants."""
    kinds = {name: kind for name, kind in KINDS.items() if name != _ALIAS}
    return [partial(instance, name, given) for name, kind in kinds.items() for given in ({}, *kind.others)]


def _listed(parameters: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in parameters.items()
    )


def _named(name: str) -> Callable[..., Mechanism]:
    def make(**given: Any) -> Mechanism:
        import textveil

        made: Mechanism = getattr(textveil, name)(**given)
        return made

    return make


def _vocabulary(vocabulary: Path | None, words: int | None) -> Vocabulary:
    from textveil.cli.options import vocabulary_of

    return vocabulary_of(vocabulary, words or _WORDS["words"])


def _of_words(name: str) -> Callable[..., Mechanism]:
    def make(vocabulary: Path | None = None, words: int | None = None, **given: Any) -> Mechanism:
        import textveil

        made: Mechanism = getattr(textveil, name)(_vocabulary(vocabulary, words), **given)
        return made

    return make


def _as_rewritten(name: str) -> Callable[..., Mechanism]:
    """Return a word mechanism as `textveil rewrite` makes it."""

    def make(
        epsilon: float,
        vocabulary: Path | None = None,
        words: int | None = None,
        radius: str = "auto",
        weights: str | None = None,
    ) -> Mechanism:
        from textveil.cli.options import mechanism_of

        table = _vocabulary(vocabulary, words)
        return mechanism_of(table, name=name, epsilon=epsilon, unchanged=None, radius=radius, weights=weights)

    return make


def _laplace(**given: Any) -> Mechanism:
    from textveil.mechanisms import Directions, Laplace

    noise = Laplace(**given)
    return Directions(noise) if given.get("normalise") else noise


def _mahalanobis(dimension: int, covariance: Path | None = None, **given: Any) -> Mechanism:
    import numpy as np

    from textveil.cli.vector_options import public_array
    from textveil.mechanisms import Mahalanobis

    widths = np.diag(np.arange(1.0, dimension + 1))
    return Mahalanobis(widths if covariance is None else public_array(covariance), **given)


def _privemb(public: Path | None = None, **given: Any) -> Mechanism:
    from textveil.cli.vector_options import public_array
    from textveil.mechanisms import PrivEmb

    # The matrix is public: the same one each time makes an audit repeatable.
    return PrivEmb(public=None if public is None else public_array(public), seed=1, **given)


def _truncated_mean(dimension: int, **given: Any) -> Mechanism:
    import numpy as np

    from textveil.mechanisms import TruncatedMean

    return TruncatedMean(lower=np.full(dimension, -1.0), upper=np.full(dimension, 1.0), **given)


def _word_vector(epsilon: float, **table: Any) -> Mechanism:
    from textveil.mechanisms import Laplace, WordVector

    words = _vocabulary(table.get("vocabulary"), table.get("words"))
    return WordVector(words, Laplace(epsilon=epsilon, dimension=words.dimension))


def _candidates(path: Path | None) -> Candidates:
    """Return public vectors: those of a file, or those of common words."""
    from textveil.mechanisms.candidates import Candidates

    return Candidates(_vocabulary(None, _CANDIDATES).points) if path is None else Candidates.load(path, None)


def _of_candidates(name: str) -> Callable[..., Mechanism]:
    def make(candidates: Path | None = None, **given: Any) -> Mechanism:
        import textveil

        made: Mechanism = getattr(textveil, name)(_candidates(candidates), **given)
        return made

    return make


def _sentence_responses(candidates: Path | None = None, **given: Any) -> Mechanism:
    from textveil.mechanisms import PublicResponse, SentenceResponses

    return SentenceResponses(PublicResponse(_candidates(candidates), **given))


def _adept(epsilon: float, model: Path | None = None) -> Mechanism:
    from textveil.cli.utterances import adept_of

    return adept_of("adept", epsilon, model, None)


def _rewriter(**given: Any) -> TextRewriter:
    from textveil.text import TextRewriter

    return TextRewriter(_as_rewritten("exponential")(**given))  # type: ignore[arg-type]


def _encoder(vocabulary: Path | None = None, words: int | None = None) -> AveragedWords:
    from textveil.encoders import AveragedWords

    return AveragedWords(_vocabulary(vocabulary, words))


def _rewritten_words(vocabulary: Path | None = None, words: int | None = None, **given: Any) -> Mechanism:
    from textveil.encoders import RewrittenWords

    rewriter = _rewriter(vocabulary=vocabulary, words=words, **given)
    return RewrittenWords(rewriter, encoder=_encoder(vocabulary, words))


def _text_embedder(epsilon: float, clip: float, **table: Any) -> Mechanism:
    from textveil.encoders import TextEmbedder
    from textveil.mechanisms import PrivUnit

    encoder = _encoder(**table)
    return TextEmbedder(PrivUnit(epsilon=epsilon, dimension=encoder.dimension, clip=clip), encoder=encoder)


def _document_embedder(epsilon: float, clip: float, **table: Any) -> Mechanism:
    from textveil.encoders import DocumentEmbedder
    from textveil.mechanisms import AveragedPrivUnit

    encoder = _encoder(**table)
    return DocumentEmbedder(AveragedPrivUnit(epsilon=epsilon, dimension=encoder.dimension, clip=clip), encoder=encoder)


_ALIAS = "adept-published"
_EPSILON = {"epsilon": 1.0}
_VECTORS = {"epsilon": 1.0, "dimension": 8}
_TABLE = {"epsilon": 2.0, **_WORDS}
_CLIPPED = {"epsilon": 1.0, "clip": 1.0, "dimension": 32}
_NOISE = {"precision": "fast"}

KINDS: dict[str, Kind] = {
    "exponential": Kind(
        _as_rewritten("exponential"),
        _TABLE,
        ("vocabulary", "radius", "weights"),
        ({"radius": "none"}, {"weights": "tight"}),
    ),
    "nearest": Kind(_as_rewritten("nearest"), _TABLE, ("vocabulary",)),
    "laplace": Kind(
        _laplace,
        _VECTORS,
        ("delta", "sensitivity", "normalise", "precision"),
        (_NOISE, {"delta": 1e-6, "sensitivity": 1.0}, {"normalise": True}),
    ),
    "coordinate-laplace": Kind(_named("CoordinateLaplace"), _VECTORS),
    "gaussian": Kind(_named("Gaussian"), {**_VECTORS, "delta": 1e-5, "sensitivity": 1.0}, ("precision",), (_NOISE,)),
    "mahalanobis": Kind(_mahalanobis, _VECTORS, ("covariance", "mix", "precision")),
    "privemb": Kind(
        _privemb,
        {"epsilon": 1.0, "dimension": 20, "target": 6},
        ("variant", "projection", "certify", "public", "beta", "delta", "precision"),
        ({"variant": "published", "beta": 0.1},),
    ),
    "privunit": Kind(
        _named("PrivUnit"), {"epsilon": 1.0, "dimension": 8, "clip": 1.0}, ("sampler",), ({"sampler": "beta"},)
    ),
    "clipped-laplace": Kind(
        _named("ClippedLaplace"),
        _CLIPPED,
        ("variant", "precision"),
        tuple({"variant": variant} for variant in ("l1", "corrected", "published")),
    ),
    _ALIAS: Kind(_named("ClippedLaplace"), {**_CLIPPED, "variant": "published"}, ("precision",)),
    "adept": Kind(_adept, {"epsilon": 8.0}, ("model",)),
    "hyperbolic": Kind(
        _named("HyperbolicLaplace"),
        {"epsilon": 2.0, "dimension": 2},
        ("variant",),
        ({"variant": "lebesgue"}, {"variant": "published"}),
    ),
    "nadp": Kind(
        _of_words("Nadp"),
        _TABLE,
        ("vocabulary", "variant", "delta", "neighbours", "threshold"),
        tuple({"variant": variant, "delta": 1e-5} for variant in ("radius", "component", "published")),
    ),
    "jaccard": Kind(_of_words("Jaccard"), {**_TABLE, "delta": 1e-5}, ("vocabulary", "neighbours")),
    "word-vector": Kind(_word_vector, _TABLE, ("vocabulary",)),
    "public-response": Kind(_of_candidates("PublicResponse"), _EPSILON, ("candidates", "nearest")),
    "sentence-responses": Kind(_sentence_responses, _EPSILON, ("candidates", "nearest")),
    "deepcandidate": Kind(
        _of_candidates("DeepCandidate"),
        {"epsilon": 1.0, "projections": 10},
        ("candidates", "variant", "utility"),
        ({"variant": "published"},),
    ),
    "averaged-privunit": Kind(_named("AveragedPrivUnit"), {"epsilon": 1.0, "dimension": 8, "clip": 1.0}, ("sampler",)),
    "gaussian-mean": Kind(_named("GaussianMean"), {**_VECTORS, "delta": 1e-5}, ("clip",)),
    "truncated-mean": Kind(_truncated_mean, _VECTORS, ("variant",)),
    "text-rewriter": Kind(_rewriter, _TABLE, ("vocabulary", "radius", "weights")),
    "rewritten-words": Kind(_rewritten_words, _TABLE, ("vocabulary", "radius", "weights")),
    "text-embedder": Kind(_text_embedder, {"epsilon": 2.0, "clip": 6.0, **_WORDS}, ("vocabulary",)),
    "document-embedder": Kind(_document_embedder, {"epsilon": 2.0, "clip": 6.0, **_WORDS}, ("vocabulary",)),
}
