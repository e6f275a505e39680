"""Does a mechanism keep its promise? Whatever is known of it is used: its law, its parameters, its outputs.

What is computed comes first (`exact`, `analytic`). Then outputs are drawn, as a test of the sampler where the law is
known, and as all the evidence there is where it is not. Last comes what breaks privacy around the noise. The chance
that a correct mechanism is accused is at most alpha in all: it is shared by the parts that draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from textveil.auditing.analytic import analytic_finding
from textveil.auditing.comparable import Comparison, comparison
from textveil.auditing.exact import exact_finding
from textveil.auditing.metrics import norm_of
from textveil.auditing.promises import undecided
from textveil.auditing.report import AuditReport, Finding, Method, Verdict
from textveil.errors import InvalidInputError, require_count, require_positive, require_probability
from textveil.guarantees import Guarantee, Pairs, Status
from textveil.mechanisms.mechanism import Mechanism
from textveil.randomness import RandomSource

Triple = tuple[Any, Any, float | None]
Part = Callable[[float], list[Finding]]

_MOST_INPUTS = 6


def audit(
    subject: Mechanism | Callable[[Any], Any],
    *,
    claim: Guarantee | None = None,
    pair: tuple[Any, Any] | None = None,
    pairs: Iterable[Sequence[Any]] | None = None,
    alpha: float = 0.01,
    samples: int | None = None,
    source: RandomSource | None = None,
    methods: Iterable[Method | str] | None = None,
    checks: bool | Mapping[str, Any] = True,
) -> AuditReport:
    """Test whether a mechanism, or any function, keeps its promise.

    Parameters
    ----------
    subject : a mechanism, or a function that takes one input a call and returns one output
    claim : what is promised; a mechanism brings its own, which is tested even if it is marked refuted
    pair, pairs : public inputs to compare: two, or several (x, y) or (x, y, distance) where the claim needs a distance;
        a mechanism has some of its own
    alpha : the chance, at most, that a correct mechanism is accused by anything that is tried
    samples : how many outputs to draw of each input; by default what the promise needs, within reason
    source : where the noise of a mechanism comes from; by default fresh noise from the operating system
    methods : the methods to use, such as ["exact", "analytic"]; by default all that apply
    checks : whether to look for what breaks privacy around the noise; or options of `check_surroundings`, such as
        {"timing": True}
    """
    require_probability("alpha", require_positive("alpha", alpha))
    samples = None if samples is None else require_count("samples", samples)
    if claim is None and not isinstance(subject, Mechanism):
        raise InvalidInputError("a function makes no promise of its own: give the one to test as claim=")
    if not (claim is None or isinstance(claim, Guarantee)):
        raise InvalidInputError(
            f"claim must be a Guarantee (got {type(claim).__name__}): tv.Guarantee(epsilon=..., unit=..., relation=...)"
        )
    promise = subject.guarantee if claim is None else claim  # type: ignore[union-attr]
    wanted = _wanted(methods, checks=checks is not False)
    given = _triples(pair, pairs)
    compared = comparison(subject, promise) if isinstance(subject, Mechanism) else Comparison()
    findings = _computed(subject, promise, wanted, compared) if isinstance(subject, Mechanism) else []
    if methods is not None or not any(found.verdict is Verdict.VIOLATED for found in findings):
        draws = _Draws(subject, promise, given, samples=samples, source=source, checks=checks)
        # Where nothing was computed that counts, or what is refuted was not caught, or inputs were given, outputs are
        # compared too.
        counts = bool(findings) and compared.is_whole
        compares = methods is not None or bool(given) or not counts or promise.status is Status.REFUTED
        parts = draws.parts(wanted if compares else wanted - {Method.BLACK_BOX})
        for part in parts:
            findings += part(alpha / len(parts))
    if not findings:
        raise InvalidInputError(f"nothing is known of {_name(subject)}, nor what to try it on: give pair=(x, y)")
    return AuditReport(subject=_name(subject), claim=promise, findings=tuple(findings))


def _computed(mechanism: Mechanism, claim: Guarantee, wanted: set[Method], compared: Comparison) -> list[Finding]:
    ways = [
        (method, find)
        for method, find in ((Method.EXACT, exact_finding), (Method.ANALYTIC, analytic_finding))
        if method in wanted
    ]
    if ways and compared.refused:
        because = f"Nothing was computed: {compared.refused}."
        return [undecided(name="the terms of the claim", method=ways[0][0], because=because)]
    found = (find(mechanism, claim) for _, find in ways)
    return [compared.finding(finding) for finding in found if finding is not None]


class _Draws:
    """The parts of an audit that draw outputs; each takes its share of alpha."""

    def __init__(
        self,
        subject: Any,
        claim: Guarantee,
        given: list[Triple],
        *,
        samples: int | None,
        source: RandomSource | None,
        checks: bool | Mapping[str, Any],
    ) -> None:
        self._subject, self._claim, self._given = subject, claim, given
        self._samples, self._source = samples, source
        self._options = {} if isinstance(checks, bool) else dict(checks)

    def parts(self, wanted: set[Method]) -> list[Part]:
        """Return the parts that were asked for and that apply."""
        ways: list[tuple[Method, Part]] = [(Method.BLACK_BOX, self._black_box), (Method.CHECK, self._surroundings)]
        if isinstance(self._subject, Mechanism):
            ways.insert(0, (Method.DISTRIBUTION, self._distribution))
        return [part for method, part in ways if method in wanted]

    def _pairs(self) -> list[Triple]:
        """Return pairs with their distances as the claim counts them; those where that is not known are left out."""
        pairs = self._inputs()
        if self._given or self._is_measured_as_claimed():
            return pairs
        from textveil.auditing.pairs import distance_between

        measured: list[Triple] = []
        for x, y, _ in pairs if self._claim.relation.pairs is not Pairs.EDGES else []:
            with suppress(InvalidInputError):
                measured.append((x, y, distance_between(self._claim, x, y)))
        return measured

    def _is_measured_as_claimed(self) -> bool:
        """Whether the distances of a mechanism's own pairs are those of the claim."""
        given, own = self._claim.relation, self._subject.guarantee.relation
        if given.pairs is Pairs.ANY or given.metric == own.metric:
            return True
        return given.pairs is not Pairs.EDGES and norm_of(given.metric) == norm_of(own.metric) != ""

    def _inputs(self) -> list[Triple]:
        if self._given:
            return self._given
        if not isinstance(self._subject, Mechanism):
            raise InvalidInputError("a function needs public inputs to be tried on: give pair=(x, y) or pairs=[...]")
        from textveil.auditing.pairs import pairs_for

        return list(pairs_for(self._subject))

    def _distribution(self, alpha: float) -> list[Finding]:
        from textveil.auditing.distribution import distribution_findings

        return distribution_findings(
            self._subject, claim=self._claim, alpha=alpha, samples=self._samples, source=self._source
        )

    def _black_box(self, alpha: float) -> list[Finding]:
        from textveil.auditing.black_box import black_box_findings

        return black_box_findings(
            self._subject, self._claim, self._pairs(), alpha=alpha, samples=self._samples, source=self._source
        )

    def _surroundings(self, alpha: float) -> list[Finding]:
        from textveil.auditing.surroundings import check_surroundings

        inputs = [each for triple in self._inputs() for each in triple[:2]][:_MOST_INPUTS]
        if not inputs:
            return []
        return check_surroundings(
            self._subject, inputs, alpha=alpha, claim=self._claim, source=self._source, **self._options
        )


def _wanted(methods: Iterable[Method | str] | None, *, checks: bool) -> set[Method]:
    if methods is None:
        return set(Method) if checks else set(Method) - {Method.CHECK}
    asked = [methods] if isinstance(methods, str) else list(methods)
    unknown = [method for method in asked if method not in set(Method)]
    if unknown or not asked:
        raise InvalidInputError(f"methods must be some of {[str(method) for method in Method]} (got {asked!r})")
    return {Method(method) for method in asked}


def _triples(pair: tuple[Any, Any] | None, pairs: Iterable[Sequence[Any]] | None) -> list[Triple]:
    """Return the pairs given as (x, y, distance), the distance None where it was left out."""
    given = [*([] if pair is None else [pair]), *([] if pairs is None else pairs)]
    wrong = [each for each in given if isinstance(each, str) or not 2 <= len(each) <= 3]
    if wrong:
        raise InvalidInputError("a pair must be (x, y), or (x, y, distance); pairs= takes a list of such")
    return [(each[0], each[1], float(each[2]) if len(each) == 3 else None) for each in given]


def _name(subject: Any) -> str:
    if not isinstance(subject, Mechanism):
        return str(getattr(subject, "__name__", type(subject).__name__))
    variant = getattr(subject, "variant", None)
    return type(subject).__name__ + (f" ({variant})" if isinstance(variant, str) else "")
