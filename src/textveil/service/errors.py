"""What goes wrong, as `application/problem+json`: a stable code, a detail, a remedy; never anything that was sent.

Messages of pydantic are not passed on, since some of them quote their input: only its kinds of error are used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from textveil.errors import TextveilError

PROBLEM = "application/problem+json"


class Code(StrEnum):
    """The stable name of a problem."""

    MALFORMED = "malformed-body"
    UNAUTHORISED = "unauthorised"
    FORBIDDEN = "forbidden"
    UNKNOWN_DATASET = "unknown-dataset"
    UNKNOWN_MECHANISM = "unknown-mechanism"
    NOT_FOUND = "not-found"
    METHOD = "method-not-allowed"
    OVER_BUDGET = "over-budget"
    TOO_LARGE = "too-large"
    MEDIA_TYPE = "unsupported-media-type"
    INVALID = "invalid-input"
    RATE = "rate-limited"
    INTERNAL = "internal"
    NO_LEDGER = "ledger-unavailable"
    BUSY = "busy"
    STOPPING = "stopping"


@dataclass(frozen=True)
class _Meaning:
    status: int
    title: str
    remedy: str


_MEANINGS = {
    Code.MALFORMED: _Meaning(400, "The body can't be read", "Send what /openapi.json describes, as UTF-8."),
    Code.UNAUTHORISED: _Meaning(401, "No valid key", "Send Authorization: Bearer KEY; the operator makes keys."),
    Code.FORBIDDEN: _Meaning(403, "The key may not do this", "Ask the operator for a key that may."),
    Code.UNKNOWN_DATASET: _Meaning(
        404, "No such data set for this key", "GET /v1/datasets lists those that the key may spend from."
    ),
    Code.UNKNOWN_MECHANISM: _Meaning(404, "No such mechanism", "GET /v1/mechanisms lists those that there are."),
    Code.NOT_FOUND: _Meaning(404, "Nothing is here", "See /openapi.json for what there is."),
    Code.METHOD: _Meaning(405, "Not with this method", "See /openapi.json for what there is."),
    Code.OVER_BUDGET: _Meaning(
        409, "The budget does not allow it", "Release less, or with a smaller epsilon; preview says what is left."
    ),
    Code.TOO_LARGE: _Meaning(413, "Too large", "Send it in smaller parts, or use `textveil rewrite` for files."),
    Code.MEDIA_TYPE: _Meaning(
        415,
        "Not a type that is read here",
        "Send application/json; streams take application/x-ndjson or application/vnd.apache.arrow.stream.",
    ),
    Code.INVALID: _Meaning(422, "The input can't be used", "Correct what the detail names."),
    Code.RATE: _Meaning(429, "Too many requests", "Wait as long as Retry-After says."),
    Code.INTERNAL: _Meaning(500, "A fault of the service", "Tell the operator the time; the log says where it was."),
    Code.NO_LEDGER: _Meaning(503, "The ledger does not answer", "Try again later; nothing was released."),
    Code.BUSY: _Meaning(503, "Another of these is running", "Try again later."),
    Code.STOPPING: _Meaning(503, "The service is stopping", "Try again later."),
}
# What every route may answer.
_ANYWHERE = (
    Code.MALFORMED,
    Code.UNAUTHORISED,
    Code.FORBIDDEN,
    Code.TOO_LARGE,
    Code.MEDIA_TYPE,
    Code.INVALID,
    Code.RATE,
    Code.STOPPING,
)
_OF_STATUS = {
    400: Code.MALFORMED,
    401: Code.UNAUTHORISED,
    403: Code.FORBIDDEN,
    404: Code.NOT_FOUND,
    405: Code.METHOD,
    413: Code.TOO_LARGE,
    415: Code.MEDIA_TYPE,
}
# The names of all fields and parameters: others are not repeated.
FIELDS = frozenset(
    "dataset documents epsilon kind mechanism name part pieces records rows".split()  # noqa: SIM905
    + "samples text texts vectors word words".split()  # noqa: SIM905
)
# What pydantic calls a kind of error, and what is said of it; limits are filled in, values never.
_KINDS = {
    "missing": "is missing",
    "extra_forbidden": "is not a field of this request",
    "too_short": "must have at least {min_length} items",
    "too_long": "must have at most {max_length} items",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "string_pattern_mismatch": "must be letters, digits, '.', '_' and '-', at most 64",
    "string_unicode": "must be Unicode without lone surrogates",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "finite_number": "must be a finite number",
    "string_type": "must be a string",
    "list_type": "must be a list",
}


class Problem(BaseModel):
    """A problem (RFC 9457). It quotes nothing that was sent."""

    type: str = Field(description="a URN that ends with the code")
    title: str
    status: int
    code: Code
    detail: str
    remedy: str


class Refusal(Exception):  # noqa: N818 - it is what the caller is told, not a fault
    """A request that is answered by a problem."""

    def __init__(
        self, code: Code, detail: str = "", *, remedy: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(code)
        self.code, self.detail, self.remedy, self.headers = code, detail, remedy, dict(headers or {})


def problem(refusal: Refusal) -> dict[str, Any]:
    """Return a refusal as plain values."""
    meaning = _MEANINGS[refusal.code]
    return Problem(
        type=f"urn:textveil:problem:{refusal.code}",
        title=meaning.title,
        status=meaning.status,
        code=refusal.code,
        detail=refusal.detail or meaning.title,
        remedy=refusal.remedy or meaning.remedy,
    ).model_dump(mode="json")


def problem_response(refusal: Refusal) -> Response:
    """Return the answer to a request that is refused."""
    plain = problem(refusal)
    headers = dict(refusal.headers)
    if refusal.code is Code.UNAUTHORISED:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(json.dumps(plain), status_code=plain["status"], headers=headers, media_type=PROBLEM)


def as_refusal(error: Exception) -> Refusal:
    """Return what is told of an error; of one that nobody foresaw, nothing."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, TextveilError):
        # Messages of textveil quote public objects and limits, never private values.
        return Refusal(Code.INVALID, str(error))
    if isinstance(error, RequestValidationError):
        return _invalid(error.errors())
    if isinstance(error, HTTPException):
        cause = error.__cause__
        of_status = Refusal(_OF_STATUS.get(error.status_code, Code.INVALID), headers=error.headers)
        return cause if isinstance(cause, Refusal) else of_status
    if isinstance(error, TimeoutError | ClientDisconnect):
        return Refusal(Code.MALFORMED, "The body did not come in time.")
    return Refusal(Code.INTERNAL)


async def answer_error(request: Request, error: Exception) -> Response:
    """Answer an error: the handler of all kinds that are foreseen."""
    refusal = as_refusal(error)
    if isinstance(error, RequestValidationError) and _is_of_other_type(request, error.errors()):
        refusal = Refusal(Code.MEDIA_TYPE, "the body needs the header Content-Type: application/json")
    request.app.state.service.metrics.refused(refusal.code)
    return problem_response(refusal)


def documented(*codes: Code) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says of the problems that a route may answer with."""
    by_status: dict[int | str, list[str]] = {}
    for code in (*codes, *_ANYWHERE):
        by_status.setdefault(_MEANINGS[code].status, []).append(f"{code}: {_MEANINGS[code].title}")
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        status: {"description": "; ".join(dict.fromkeys(lines)), "content": {PROBLEM: schema}}
        for status, lines in by_status.items()
    }


def _is_of_other_type(request: Request, errors: Sequence[Any]) -> bool:
    """Whether a body was not read since it is not said to be JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return any(error["loc"][:1] == ("body",) for error in errors) and not re.fullmatch(r"application/(.+\+)?json", kind)


def _invalid(errors: Sequence[Any]) -> Refusal:
    if any(error["type"] in ("json_invalid", "value_error.jsondecode") for error in errors):
        return Refusal(Code.MALFORMED, "The body is not JSON.")
    lines = dict.fromkeys(f"{_place(error['loc'])} {_said(error)}" for error in errors)
    return Refusal(Code.INVALID, "; ".join(list(lines)[:5]) + ".")


def _place(location: Iterable[Any]) -> str:
    """Return which field it was; a name that the caller made up is not repeated."""
    known = [str(part) for part in location if isinstance(part, int) or part in FIELDS]
    return ".".join(known) or "the request"


def _said(error: Mapping[str, Any]) -> str:
    pattern = _KINDS.get(error["type"], "has the wrong type or value")
    limits = {name: value for name, value in error.get("ctx", {}).items() if isinstance(value, int | float)}
    try:
        return pattern.format(**limits)
    except KeyError:
        return "has the wrong size"
