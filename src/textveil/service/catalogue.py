"""What a service offers: mechanisms with names, made and warmed before the first request.

A request may choose among the epsilons that the operator named, and nothing else: nothing is calibrated for a request.
Rows of words are all made at the start, so that the time of a release does not tell which words others have used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from textveil.encoders import DocumentEmbedder, TextEmbedder
from textveil.errors import InvalidInputError, require_positive
from textveil.guarantees import Guarantee, Status
from textveil.mechanisms.adept import Adept
from textveil.mechanisms.exponential import Exponential
from textveil.mechanisms.mechanism import Mechanism
from textveil.mechanisms.public_response import PublicResponse
from textveil.mechanisms.vectors import VectorMechanism
from textveil.mechanisms.word_vector import WordVectorMechanism
from textveil.mechanisms.words import WordMechanism
from textveil.progress import progress
from textveil.service.apart import Shared, shared_with
from textveil.service.errors import Code, Refusal
from textveil.service.keys import NAME
from textveil.service.making import make
from textveil.text import TextRewriter
from textveil.text.documents import all_sentences, documents_in
from textveil.text.protection import STOP_WORDS, AllBut, EveryWord

_TEXT_OPTIONS = ("case", "consistent", "unknown_text", "keep_stop_words")


class Kind(StrEnum):
    """What is sent to be released."""

    WORDS = "words"
    TEXTS = "texts"
    VECTORS = "vectors"
    DOCUMENTS = "documents"


@dataclass(frozen=True, eq=False)
class Work:
    """A mechanism and what it takes.

    Parameters
    ----------
    kind : of the records
    mechanism : what releases them
    shared : counts the records that are among the operator's own candidates; None if nothing is compared
    """

    kind: Kind
    mechanism: Mechanism
    shared: Shared | None = None

    @cached_property
    def guarantee(self) -> Guarantee:
        """What the release of one record promises."""
        return self.mechanism.guarantee

    @property
    def dimension(self) -> int | None:
        """Numbers of a vector that is taken, None for what is not a vector."""
        return int(self.mechanism.dimension) if self.kind is Kind.VECTORS else None  # type: ignore[attr-defined]

    @property
    def gives(self) -> int:
        """Numbers of what is released for a record, 0 for words and texts."""
        made: Any = self.mechanism
        if isinstance(made, WordMechanism | TextRewriter | Adept):
            return 0
        if isinstance(made, WordVectorMechanism):
            return made.vocabulary.dimension
        if isinstance(made, TextEmbedder | DocumentEmbedder):
            made = made.mechanism
        return int(getattr(made, "released_dimension", made.dimension))

    @property
    def kept(self) -> float | None:
        """The share of words that stay, in the mean over the vocabulary; None where it is not known."""
        made = self.mechanism.mechanism if isinstance(self.mechanism, TextRewriter) else self.mechanism
        return made.law.kept if isinstance(made, Exponential) else None

    @property
    def adds(self) -> bool:
        """Whether the loss of a record adds over its words or sentences."""
        return self.guarantee.by_words or isinstance(self.mechanism, DocumentEmbedder)

    def pieces(self, private: Sequence[Any]) -> int:
        """Return how many words or sentences the longest record has; 1 where a record is released at once."""
        if isinstance(self.mechanism, TextRewriter):
            counts = self.mechanism.word_counts(self.mechanism._check(private))
        elif isinstance(self.mechanism, DocumentEmbedder):
            least = self.mechanism.mechanism.least_sentences
            counts = np.diff(all_sentences(documents_in(private), least=least)[1])
        else:
            return 1
        return int(counts.max(initial=1))


@dataclass(frozen=True)
class Offer:
    """A mechanism of the catalogue, at each epsilon that may be chosen.

    Parameters
    ----------
    name : what requests call it
    works : for each epsilon what it does, by what it takes; the first is the default
    """

    name: str
    works: Mapping[float, Mapping[Kind, Work]]

    @property
    def default(self) -> float:
        """The epsilon of a request that names none."""
        return next(iter(self.works))

    @property
    def kinds(self) -> list[Kind]:
        """What it takes."""
        return list(self.works[self.default])

    def work(self, kind: Kind, epsilon: float | None) -> Work:
        """Return what releases this kind at this epsilon."""
        chosen = self.default if epsilon is None else epsilon
        if chosen not in self.works:
            raise Refusal(Code.INVALID, f"epsilon must be one of {', '.join(f'{each:g}' for each in self.works)}")
        if kind not in self.works[chosen]:
            raise Refusal(Code.INVALID, f"this mechanism releases {' and '.join(self.kinds)}, not {kind}")
        return self.works[chosen][kind]


class Catalogue:
    """All that a service offers."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        self.offers = {offer.name: offer for offer in offers}

    def offer(self, name: str) -> Offer:
        """Return the offer of a name."""
        if name not in self.offers:
            raise Refusal(Code.UNKNOWN_MECHANISM)
        return self.offers[name]

    def warm_up(self) -> None:
        """Release public words once, all of them, so that no request has to wait for rows or compilers."""
        works = [work for offer in self.offers.values() for each in offer.works.values() for work in each.values()]
        with progress("Warming up", len(works)) as step:
            for work in works:
                _exercise(work)
                step()


def read_catalogue(path: Path | None = None) -> Catalogue:
    """Make what a configuration describes; without one, the default."""
    if path is None:
        text, folder = files("textveil.service").joinpath("default.yaml").read_text(encoding="utf-8"), Path()
    else:
        text, folder = path.read_text(encoding="utf-8"), path.parent
    try:
        plain = yaml.safe_load(text)
    except yaml.YAMLError:
        plain = None
    entries = plain.get("mechanisms") if isinstance(plain, dict) else None
    if not isinstance(entries, dict) or not entries:
        raise InvalidInputError(f"{path} must be YAML with a table `mechanisms`: see docs/service.md")
    return Catalogue([_offer(name, entry, folder) for name, entry in entries.items()])


def works_of(mechanism: Mechanism, text_options: Mapping[str, Any], shared: Shared | None = None) -> dict[Kind, Work]:
    """Return what a mechanism can release."""
    if isinstance(mechanism, WordMechanism):
        rewriter = _rewriter(mechanism, text_options)
        return {Kind.WORDS: Work(Kind.WORDS, mechanism), Kind.TEXTS: Work(Kind.TEXTS, rewriter)}
    if text_options:
        raise InvalidInputError(f"{', '.join(text_options)} are for mechanisms that release words; leave them out")
    kinds: dict[Kind, tuple[type, ...]] = {
        Kind.WORDS: (WordVectorMechanism,),
        Kind.TEXTS: (TextEmbedder, Adept),
        Kind.VECTORS: (VectorMechanism, PublicResponse),
        Kind.DOCUMENTS: (DocumentEmbedder,),
    }
    for kind, classes in kinds.items():
        if isinstance(mechanism, classes):
            return {kind: Work(kind, mechanism, shared)}
    raise InvalidInputError(f"{type(mechanism).__name__} takes sentences: give it an encoder")


def _offer(name: Any, entry: Any, folder: Path) -> Offer:
    if not isinstance(name, str) or not NAME.fullmatch(name) or not isinstance(entry, dict):
        raise InvalidInputError(f"a mechanism needs a name of letters and digits, and a table (got {name!r})")
    parameters = dict(entry)
    text_options = {option: parameters.pop(option) for option in _TEXT_OPTIONS if option in parameters}
    compares = parameters.pop("apart", True) and parameters.get("candidates", "default") != "default"
    try:
        made = _at_each_epsilon(parameters, folder)
        if any(mechanism.guarantee.status is Status.REFUTED for mechanism in made.values()):
            raise InvalidInputError("its promise is refuted, so nothing is released with it; see its page in docs")
        shared = shared_with(next(iter(made.values()))) if compares else None
        works = {epsilon: works_of(mechanism, text_options, shared) for epsilon, mechanism in made.items()}
    except InvalidInputError as error:
        raise InvalidInputError(f"mechanism {name}: {error}") from None
    return Offer(name, works)


def _at_each_epsilon(parameters: dict[str, Any], folder: Path) -> dict[float, Mechanism]:
    epsilons = parameters.pop("epsilons", None)
    if epsilons is None:
        made = make(parameters, folder)
        return {float(getattr(made, "epsilon", made.guarantee.epsilon)): made}
    if not isinstance(epsilons, list) or not epsilons or "epsilon" in parameters:
        raise InvalidInputError("epsilons must be a list of numbers, in place of epsilon")
    numbers = [require_positive("epsilons", each) for each in epsilons]
    return {number: make(parameters | {"epsilon": number}, folder) for number in numbers}


def _rewriter(mechanism: WordMechanism, options: Mapping[str, Any]) -> TextRewriter:
    given = dict(options)
    keeps = given.pop("keep_stop_words", False)
    return TextRewriter(mechanism, protect=AllBut(STOP_WORDS) if keeps else EveryWord(), **given)


def _exercise(work: Work) -> None:
    if isinstance(work.mechanism, WordMechanism):
        work.mechanism.release_ids(np.arange(len(work.mechanism.vocabulary)))
    elif work.kind is Kind.VECTORS:
        work.mechanism.release(np.zeros((1, work.dimension or 1)))
    else:
        work.mechanism.release(["public"])
