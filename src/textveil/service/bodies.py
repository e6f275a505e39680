"""What requests and answers look like; OpenAPI is made from this."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from textveil.service.catalogue import Kind

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
DatasetName = Annotated[str, Field(min_length=1, max_length=200)]
Number = Annotated[float, Field(allow_inf_nan=False)]
MOST_RECORDS = 100_000
Records = Annotated[int, Field(ge=1, le=2**31)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Order(_Request):
    """What every release names."""

    mechanism: Name = Field(description="one of GET /v1/mechanisms")
    dataset: DatasetName | None = Field(
        None, description="whose budget pays; needed unless the service keeps no ledger"
    )
    part: Name | None = Field(
        None, description="a public label of rows that no other part has: parts are paid for side by side"
    )
    rows: Records | None = Field(
        None, description="where persons are protected: records of one person, at most; by default all of them"
    )
    epsilon: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="one of the mechanism's epsilons; by default its first"
    )


class WordsOrder(Order):
    """Words to release; together they are one record."""

    words: list[str] = Field(min_length=1, max_length=MOST_RECORDS)


class TextsOrder(Order):
    """Texts to release, each a record."""

    texts: list[str] = Field(min_length=1, max_length=MOST_RECORDS)


class VectorsOrder(Order):
    """Vectors to release, each a record."""

    vectors: list[list[Number]] = Field(min_length=1, max_length=MOST_RECORDS)


class DocumentsOrder(Order):
    """Documents to release, each a text or a list of sentences."""

    documents: list[str | list[str]] = Field(min_length=1, max_length=MOST_RECORDS)


class PreviewOrder(Order):
    """What would be released, without anything private: only how much."""

    kind: Kind
    records: Records = Field(1, description="how many records")
    pieces: Records = Field(1, description="words of the longest text, sentences of the longest document")


class ExplainOrder(_Request):
    """Public words to explain: nothing is released, and nothing is paid for, so do not send private ones."""

    mechanism: Name
    epsilon: float | None = None
    words: list[str] = Field(min_length=1, max_length=20)


class AuditOrder(_Request):
    """Which mechanism to audit; only public objects are looked at."""

    mechanism: Name
    epsilon: float | None = None


class Chosen(BaseModel):
    """A public candidate that was chosen."""

    index: int
    text: str | None
    vector: list[float]


class Answered(BaseModel):
    """The public candidates that were chosen for the sentences of a document, and the mean of their vectors."""

    indices: list[int]
    texts: list[str] | None
    vector: list[float]


class Paid(BaseModel):
    """What the ledger has of a release."""

    counted: bool
    dataset: str | None
    part: str | None
    entry: str | None
    statement: str


class ReceiptBody(BaseModel):
    """What was released, by what, under which guarantee; never any content."""

    mechanism: dict[str, Any]
    guarantee: dict[str, Any]
    statement: str
    randomness: Literal["secure"]
    private: bool
    items: int
    created: str
    library: str
    ledger: Paid


class Released(BaseModel):
    """What was released, in the order of the request, and the receipt."""

    released: list[str | list[float] | Chosen | Answered]
    receipt: ReceiptBody


class EpsilonFacts(BaseModel):
    """What a mechanism promises at an epsilon, by what it takes."""

    epsilon: float
    promises: dict[Kind, str]
    guarantees: dict[Kind, dict[str, Any]]


class MechanismFacts(BaseModel):
    """A mechanism of the catalogue."""

    name: str
    takes: list[Kind]
    dimension: int | None
    parameters: dict[str, Any]
    default_epsilon: float
    epsilons: list[EpsilonFacts]


class Mechanisms(BaseModel):
    """All mechanisms of the catalogue."""

    mechanisms: list[MechanismFacts]


class Preview(BaseModel):
    """What a release would promise, cost and leave."""

    promise: str
    guarantee: dict[str, Any]
    worst_case: float | None = Field(description="the largest loss of one record in nats; null if nothing bounds it")
    stays: float | None = Field(
        description="the share of words that stay, in the mean over the vocabulary; null where it is not known"
    )
    allowed: bool
    cost: dict[str, Any] | None
    remaining: dict[str, Any] | None
    statement: str


class Explained(BaseModel):
    """What happens to a word."""

    word: str
    known: bool
    stays: float
    replacements: list[tuple[str, float]]
    as_plausible: float | None
    recovered: float | None
    statement: str


class Explanations(BaseModel):
    """What happens to words."""

    promise: str
    words: list[Explained]


class AuditBody(BaseModel):
    """What an audit found."""

    subject: str
    verdict: str
    promise: str
    claim: dict[str, Any]
    findings: list[dict[str, Any]]


class DatasetFacts(BaseModel):
    """A data set's budget."""

    name: str
    facts: dict[str, Any]


class Datasets(BaseModel):
    """The data sets that the key may spend from."""

    counted: bool
    datasets: list[DatasetFacts]


class History(BaseModel):
    """What was spent from a data set."""

    dataset: str
    entries: list[dict[str, Any]]


class State(BaseModel):
    """Whether the service lives, and is ready."""

    state: Literal["alive", "ready", "starting", "stopping"]
