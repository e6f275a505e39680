"""Options that describe a release of sentences and documents, and the work."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from textveil.cache import cache_folder
from textveil.errors import InvalidInputError

if TYPE_CHECKING:
    from textveil.cli.vector_options import VectorOptions
    from textveil.encoders import DocumentEmbedder, Encoder, TextEmbedder
    from textveil.files import Selection
    from textveil.hashing import Packed
    from textveil.mechanisms import PublicResponse
    from textveil.mechanisms.candidate_files import CandidateFile
    from textveil.mechanisms.candidates import Candidates
    from textveil.mechanisms.documents import DocumentMechanism

_UNITS = ("text", "document", "sentence")
# The box of the paper that has it: the middle 75% of every coordinate of public vectors.
_BOX = (0.125, 0.875)
_NARROWEST = 1 / 64

PublicTexts = Annotated[
    Path | None,
    typer.Option("--candidates", help="Public texts or vectors to choose from; by default 5,000 English sentences."),
]
CandidatesColumn = Annotated[
    str | None, typer.Option("--candidates-column", help="Which column of --candidates, if it has several.")
]
Nearest = Annotated[
    int | None, typer.Option("--nearest", help="How many candidates count as near; by default the best (public).")
]
Per = Annotated[
    str | None,
    typer.Option("--per", help="One answer a text, a document (the mean of its sentences) or a sentence."),
]
Projections = Annotated[
    int | None, typer.Option("--projections", help="Directions along which depth is measured (deepcandidate; 50).")
]
Utility = Annotated[
    str | None, typer.Option("--utility", help="What makes a candidate good: depth or inner-product (deepcandidate).")
]
RecoderFile = Annotated[
    Path | None, typer.Option("--recoder", help="What `textveil train recoder` made (deepcandidate).")
]


def own_candidates(
    options: VectorOptions, source: str, file_format: str | None, selection: Selection
) -> tuple[CandidateFile | None, str]:
    """Read the user's own candidates, and refuse private records among them before anything is encoded or kept.

    Returns what was read and, if nothing could be compared, a line that says so.

    Parameters
    ----------
    options : which file, if any
    source, file_format, selection : of the input
    """
    from textveil.cli.running import column_of
    from textveil.files import Holds, place_of, shards_of
    from textveil.jobs.apart import require_apart
    from textveil.mechanisms.candidate_files import CandidateFile

    if options.candidates is None:
        return None, ""
    texts = selection.holds is not Holds.VECTORS
    public = CandidateFile.read(options.candidates, texts=texts, column=column_of(options.candidates_column))
    shards = shards_of(None if source == "-" else place_of(source), file_format, selection.holds)
    reason = require_apart(shards, selection, public)
    told = f"textveil: records were not compared with --candidates, since {reason}; make sure that none is among them"
    return public, told if reason else ""


def embedder_of(
    options: VectorOptions, encoder: Encoder, public: CandidateFile | None
) -> TextEmbedder | DocumentEmbedder:
    """Return the work that the options describe, for texts."""
    from textveil.encoders import DocumentEmbedder, SentenceMeans, TextEmbedder
    from textveil.mechanisms import SentenceResponses

    if options.name != "public-response":
        recoded = _recoded(encoder, options.recoder)
        return DocumentEmbedder(_document_mechanism(options, recoded, public), encoder=recoded)
    per = options.per or "text"
    if per not in _UNITS:
        raise InvalidInputError(f"--per must be one of {', '.join(_UNITS)} (got {per})")
    if per == "sentence":
        return DocumentEmbedder(SentenceResponses(response_of(options, encoder, public)), encoder=encoder)
    encoder = SentenceMeans(encoder) if per == "document" else encoder
    return TextEmbedder(response_of(options, encoder, public), encoder=encoder)


def response_of(options: VectorOptions, encoder: Encoder | None, public: CandidateFile | None) -> PublicResponse:
    """Return the mechanism that answers by public candidates; without an encoder these must be vectors."""
    from textveil.mechanisms import PublicResponse

    return PublicResponse(_candidates(encoder, public), epsilon=options.epsilon, nearest=options.nearest)


def chances(response: PublicResponse) -> str:
    """Say what the mechanism does, which depends on nothing private."""
    near, count = response.near, len(response.candidates)
    share = near / (near + (count - near) * math.exp(-response.epsilon))
    return (
        f"Answers  one of the {near:,} nearest of {count:,} public candidates in {share:.1%} of all cases, else another"
    )


def _document_mechanism(options: VectorOptions, encoder: Encoder, public: CandidateFile | None) -> DocumentMechanism:
    from textveil.encoders import SentenceMeans
    from textveil.mechanisms import AveragedPrivUnit, DeepCandidate, GaussianMean, TruncatedMean

    given: dict[str, Any] = options.given("delta", "clip", "sampler", "projections", "utility")
    given["epsilon"] = options.epsilon
    if options.name == "gaussian-mean":
        return GaussianMean(dimension=encoder.dimension, **given)
    if options.name == "averaged-privunit":
        return AveragedPrivUnit(dimension=encoder.dimension, **given)
    if options.name == "deepcandidate":
        return DeepCandidate(_candidates(SentenceMeans(encoder), public), **given)
    return TruncatedMean(**_box(_candidates(encoder, public)), **given)


def _box(candidates: Candidates) -> dict[str, Any]:
    """Return the corners of the middle of public vectors; a coordinate that hardly moves has a narrow side."""
    import numpy as np

    low, high = np.quantile(candidates.vectors.astype(np.float64), _BOX, axis=0)
    middle, side = (low + high) / 2, np.maximum(high - low, _NARROWEST * np.median(high - low))
    return {"lower": middle - side / 2, "upper": middle + side / 2}


def _candidates(encoder: Encoder | None, public: CandidateFile | None) -> Candidates:
    from textveil.encoders.public_sentences import default_candidates
    from textveil.mechanisms.candidates import Candidates

    if public is not None:
        return Candidates.of(public, None if encoder is None else _Kept(encoder))
    if encoder is None:
        raise InvalidInputError("the input holds vectors: give the public ones to choose from with --candidates")
    return default_candidates(encoder)


class _Kept:
    """Gives public texts their vectors, which are kept for the next run."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.dimension = encoder.dimension

    def encode(self, texts: Packed) -> Any:
        from textveil.encoders import public_vectors
        from textveil.encoders.encoder import readable

        return public_vectors(self._encoder, readable(texts), cache=cache_folder() / "vectors")


def _recoded(encoder: Encoder, recoder: Path | None) -> Encoder:
    from textveil.encoders.recoder import Recoded, Recoder

    return encoder if recoder is None else Recoded(encoder, Recoder.load(recoder))
