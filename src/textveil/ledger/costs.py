"""What one release costs one protected thing of a data set, read off the guarantee. Proofs: docs/ledger.md."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from textveil.errors import InvalidInputError, require_count
from textveil.guarantees import Guarantee, Pairs, Status, Unit
from textveil.ledger.curve import square_of
from textveil.ledger.datasets import Counting, Dataset, Protected
from textveil.ledger.exact import exactly, float_above
from textveil.ledger.tallies import NONE, Tally
from textveil.receipts import digest_of

# Of exp, relative to itself: it is right to the last digit or two.
_EXP_MARGIN = 1e-12
_LARGEST_EXPONENT = 700.0
_DIGEST_DIGITS = 12


@dataclass(frozen=True, kw_only=True)
class Bill:
    """The cost of a release, and why.

    Parameters
    ----------
    cost : for one protected thing
    one : of one piece, such as a word
    pieces : how many pieces of a record are exchanged at most
    called : what the pieces are
    rows : how many records one protected thing has at most
    """

    cost: Tally
    one: Tally
    pieces: int = 1
    called: str = "words"
    rows: int = 1


def cost_of(
    guarantee: Guarantee,
    dataset: Dataset,
    *,
    metric: str | None = None,
    pieces: int | None = None,
    rows: int | None = None,
) -> Bill:
    """Return what a release costs, or say why it can't be counted.

    Parameters
    ----------
    guarantee : of the release of one record
    dataset : says what is protected and how losses are counted
    metric : the full name of the distance (`metric_name`), by default as the guarantee has it
    pieces : the most words (or sentences) that one record has, where the promise is for one of them
    rows : the most records that one person has, where persons are protected
    """
    if guarantee.status is Status.REFUTED:
        raise InvalidInputError(f"a refuted guarantee promises nothing, so nothing can be counted: {guarantee.reason}")
    if guarantee.relation.pairs is Pairs.EDGES:
        raise InvalidInputError(
            "the promise is only for pairs joined in a public graph, which no ceiling covers; use a mechanism whose "
            "promise is for any pair"
        )
    many = _rows(dataset, rows)
    parts = _pieces(guarantee, dataset, pieces)
    name = guarantee.relation.metric if metric is None else metric
    if dataset.counting is Counting.METRIC:
        one = _by_distance(guarantee, dataset, name)
        record = _record_by_distance(one, parts, guarantee)
    else:
        one = _in_nats(guarantee, dataset, name)
        record = _record(one, parts, guarantee)
    bill = Bill(cost=record.times(many), one=one, pieces=parts, called=_called(guarantee), rows=many)
    if dataset.counting is Counting.GAUSSIAN and not one.gaussians:
        apart = guarantee.unit is not Unit.SENTENCE
        return replace(bill, cost=replace(bill.cost, square=_least_square(bill, record, apart=apart)))
    return bill


def metric_name(guarantee: Guarantee, spec: Mapping[str, Any]) -> str:
    """Return the name of a guarantee's distance, with the digest of the vocabulary or encoder that it belongs to."""
    name, digest = guarantee.relation.metric, _measured_by(spec)
    return f"{name} [{digest[:_DIGEST_DIGITS]}]" if name and digest else name


def _measured_by(spec: Mapping[str, Any]) -> str | None:
    """Return the digest of the public object that a mechanism's distances are taken in, None if there is none."""
    if "rewriter" in spec:
        # Its words are replaced before anything is encoded.
        return _measured_by(spec["rewriter"])
    if "encoder" in spec:
        return digest_of(spec["encoder"])
    digest: str | None = spec.get("words", spec).get("vocabulary")
    return digest


def _rows(dataset: Dataset, rows: int | None) -> int:
    if dataset.unit is Protected.PERSON:
        if rows is None:
            raise InvalidInputError(
                f"{dataset.name} protects persons, so say who they are and how many records one has at most: "
                "unit_column= (--unit-column) and max_rows= (--max-rows), or rows= of a reservation"
            )
        return require_count("max_rows", rows)
    if rows not in (None, 1):
        raise InvalidInputError(f"rows is for data sets that protect persons; {dataset.name} protects {dataset.unit}s")
    return 1


def needs_pieces(guarantee: Guarantee, dataset: Dataset) -> bool:
    """Whether the cost depends on how many words (or sentences) a record has."""
    if guarantee.unit is Unit.SENTENCE:
        several = dataset.unit in (Protected.RECORD, Protected.PERSON)
    else:
        several = (guarantee.by_words or guarantee.unit is Unit.WORD) and dataset.unit is not Protected.WORD
    only_by_distance = guarantee.relation.pairs is Pairs.METRIC and not (
        guarantee.delta or guarantee.offset or guarantee.relation.rounding
    )
    return several and not (dataset.counting is Counting.METRIC and only_by_distance)


def _pieces(guarantee: Guarantee, dataset: Dataset, pieces: int | None) -> int:
    """Return how many pieces change when one protected thing is exchanged within one record."""
    if not needs_pieces(guarantee, dataset):
        return 1
    known = guarantee.positions if pieces is None else pieces
    if known is None:
        raise InvalidInputError(
            f"the loss adds over the {_called(guarantee)} of a record, so "
            "their largest number must be known: give max_words= (--max-words), or pieces= of a reservation"
        )
    return require_count("max_words", known, least=0)


def _called(guarantee: Guarantee) -> str:
    return "sentences" if guarantee.unit is Unit.SENTENCE else "words"


def _in_nats(guarantee: Guarantee, dataset: Dataset, metric: str) -> Tally:
    """Return the loss of one piece between any two things that the data set's ceiling is about."""
    relation, radius = guarantee.relation, dataset.radius
    measured = radius is not None and relation.metric and metric == dataset.metric
    epsilon = exactly(guarantee.epsilon)
    if guarantee.mu is not None and measured and radius is not None and dataset.counting is Counting.GAUSSIAN:
        return Tally(square=(exactly(guarantee.mu) * (radius + exactly(relation.rounding))) ** 2, gaussians=Fraction(1))
    if relation.pairs is Pairs.ANY:
        loss = epsilon
    elif relation.pairs is Pairs.WITHIN:
        reach = exactly(relation.radius or 0.0)
        if not measured or radius is None or radius > reach:
            raise InvalidInputError(_only_within(guarantee, dataset, metric))
        loss = epsilon
    else:
        farthest = [exactly(relation.radius)] if relation.radius is not None else []
        farthest += [radius] if measured and radius is not None else []
        if not farthest:
            raise InvalidInputError(_unbounded(dataset, metric))
        loss = epsilon * (min(farthest) + exactly(relation.rounding)) + exactly(guarantee.offset)
        if relation.largest_loss is not None and loss > exactly(relation.largest_loss):
            raise InvalidInputError(
                f"nothing is promised beyond a loss of {relation.largest_loss:g}, but things may be farther apart; "
                "give the data set a smaller radius, or use a smaller epsilon"
            )
    return Tally(epsilon=loss, delta=exactly(guarantee.delta) + _of_sampling(guarantee, loss))


def _by_distance(guarantee: Guarantee, dataset: Dataset, metric: str) -> Tally:
    """Return the loss of one piece per unit of distance, and on top of that."""
    relation, epsilon = guarantee.relation, exactly(guarantee.epsilon)
    if guarantee.slack:
        raise InvalidInputError(
            "sampling in floating point costs a delta that grows with the distance without end; use precision=exact"
        )
    if relation.pairs is Pairs.ANY:
        return Tally(offset=epsilon, delta=exactly(guarantee.delta))
    if relation.pairs is not Pairs.METRIC:
        raise InvalidInputError("the promise is only for near things, but the ceiling is for any distance")
    if metric != dataset.metric:
        raise InvalidInputError(
            f"losses are counted by another distance: {dataset.name} counts {dataset.metric!r}, the release {metric!r}"
        )
    offset = exactly(guarantee.offset) + epsilon * exactly(relation.rounding)
    return Tally(epsilon=epsilon, offset=offset, delta=exactly(guarantee.delta))


def _record_by_distance(one: Tally, pieces: int, guarantee: Guarantee) -> Tally:
    """Return the cost of exchanging all pieces of a record, where losses are counted by distance."""
    delta = one.delta * pieces
    if _goes_in_steps(one, pieces, guarantee):
        if one.epsilon:
            raise InvalidInputError(
                "what may escape grows with the distance of the sentences that are exchanged together, without end; "
                "make a data set with counting=sum"
            )
        delta = _escaping(one.delta, one.offset, pieces)
    # The distance of two texts is the sum of those of their words, so epsilon is the same for both.
    return Tally(epsilon=one.epsilon, delta=delta, offset=one.offset * pieces)


def _goes_in_steps(one: Tally, pieces: int, guarantee: Guarantee) -> bool:
    """Whether many pieces are exchanged one after the other, so that what escapes at one step grows with the rest."""
    return guarantee.unit is Unit.SENTENCE and bool(one.delta) and pieces > 1


def _escaping(delta: Fraction, loss: Fraction, pieces: int) -> Fraction:
    """Return delta for a group: so many steps, each at most e^loss times worse than the one before."""
    return delta * sum((_exp_above(loss * step) for step in range(pieces)), NONE)


def _record(one: Tally, pieces: int, guarantee: Guarantee) -> Tally:
    """Return the cost of exchanging all pieces of a record, given that of one."""
    if _goes_in_steps(one, pieces, guarantee):
        return Tally(epsilon=one.epsilon * pieces, delta=_escaping(one.delta, one.epsilon, pieces))
    if guarantee.unit is Unit.SENTENCE and one.square:
        # Distances add up on the way from one list to the other, and so do their mu.
        return Tally(square=one.square * pieces * pieces, gaussians=one.gaussians)
    if guarantee.positions is not None:
        # Its delta and slack are those of all words already.
        return Tally(epsilon=one.epsilon * pieces, delta=one.delta, square=one.square * pieces, gaussians=one.gaussians)
    return one.times(pieces)


def _least_square(bill: Bill, record: Tally, *, apart: bool) -> Fraction:
    """Return the least square that stands for all records of a thing: whole, by records or, if apart, by pieces."""
    squares = [square_of(bill.cost.epsilon), bill.rows * square_of(record.epsilon)]
    if apart:
        squares.append(bill.rows * bill.pieces * square_of(bill.one.epsilon))
    return min(squares)


def _of_sampling(guarantee: Guarantee, loss: Fraction) -> Fraction:
    return (1 + _exp_above(loss)) * exactly(guarantee.slack) if guarantee.slack else NONE


def _exp_above(loss: Fraction) -> Fraction:
    value = float_above(loss)
    if value > _LARGEST_EXPONENT:
        raise InvalidInputError(f"delta grows beyond all bounds at a loss of {value:.4g}; use precision=exact")
    return exactly(math.exp(value) * (1 + _EXP_MARGIN))


def _only_within(guarantee: Guarantee, dataset: Dataset, metric: str) -> str:
    return (
        f"the promise is only for things within {guarantee.relation.radius:g} in {metric}, but {dataset.name} is for "
        f"{_covered(dataset)}; make a data set with that metric= and radius=, or use a mechanism for any pair"
    )


def _unbounded(dataset: Dataset, metric: str) -> str:
    return (
        f"the loss grows without end with the distance, {metric!r}, but {dataset.name} is for {_covered(dataset)}; use "
        "a mechanism with radius= or one for any pair, or make a data set with counting=metric and that metric"
    )


def _covered(dataset: Dataset) -> str:
    return "any two" if dataset.radius is None else f"things within {float(dataset.radius):g} in {dataset.metric}"
