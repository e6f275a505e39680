"""What the page's own requests and answers look like."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from textveil.guarantees import Status
from textveil.service.bodies import MOST_RECORDS, Name
from textveil.service.catalogue import Kind

MOST_CHARACTERS = 2000
MOST_SAMPLES = 8
_Epsilon = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")

    mechanism: Name
    epsilon: _Epsilon | None = None


class SamplesOrder(_Asked):
    """A text that whoever asks knows already; nothing of it is kept."""

    text: str = Field(min_length=1, max_length=MOST_CHARACTERS)
    samples: int = Field(4, ge=1, le=MOST_SAMPLES)


class WordOrder(_Asked):
    """A word of the vocabulary, which is public."""

    word: str = Field(min_length=1, max_length=200)


class SizeOrder(_Asked):
    """Texts whose words or sentences are to be counted; nothing of them is kept."""

    texts: list[str] = Field(min_length=1, max_length=MOST_RECORDS)


class Looked(BaseModel):
    """A mechanism as the page shows it."""

    name: str
    made_by: str = Field(description="its name in Python")
    takes: list[Kind]
    reads: Kind | None = Field(description="how it takes a text and gives one back; null if it releases numbers")
    words: bool = Field(description="whether there are facts about words")
    default: float
    offered: list[float]
    stays: list[float | None] = Field(description="for each that is offered, the mean share of words that stay")
    stops: list[float] = Field(description="the epsilons at which it can be looked at")


class PageFacts(BaseModel):
    """What the page needs to begin with."""

    library: str
    counted: bool
    samples: bool = Field(description="whether samples may be drawn")
    most_characters: int
    most_records: int
    most_bytes: int
    mechanisms: list[Looked]


class PieceBody(BaseModel):
    """A stretch of the text: layout, or a word and what it enters the mechanism as."""

    text: str
    enters: str | None
    known: bool
    left: bool


class Sample(BaseModel):
    """One sample: what it has in the place of each word, or its text where words do not correspond."""

    words: list[str] | None
    text: str | None


class Samples(BaseModel):
    """Samples of a text, and what a release of it would promise."""

    pieces: list[PieceBody]
    samples: list[Sample]
    promise: str
    status: Status
    unit: Literal["word", "sentence", "text"]
    units: int = Field(description="how many of them the text has; their losses add")
    each: float | None = Field(description="the largest loss of one in nats; null if nothing bounds it")
    worst_case: float | None


class Replacement(BaseModel):
    """A word that may come out, how far it is, and the loss that is promised between the two."""

    word: str
    chance: float
    distance: float
    loss: float | None


class WordFacts(BaseModel):
    """What happens to a word, and the words around it."""

    word: str
    known: bool
    draws: int | None = Field(description="of how many draws the chances are counted; null if they are exact")
    stays: float
    replacements: list[Replacement]
    map: dict[str, Any] | None


class Plausible(BaseModel):
    """What an attacker learns from what comes out."""

    as_plausible: float | None
    recovered: float | None


class Size(BaseModel):
    """How much texts hold."""

    records: int
    pieces: int


class FrontierBody(BaseModel):
    """What is kept at each epsilon; or a file that `textveil compare` wrote, as it is."""

    points: list[dict[str, float]]
    file: dict[str, Any] | None
