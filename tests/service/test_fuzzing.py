"""Whatever is sent: no fault, no trace of code, nothing released that was not reserved; and OpenAPI tells the truth."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass, field

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from textveil.ledger import Ledger
from textveil.service.app import build

GOOD = [
    ("POST", "/v1/release/words", {"mechanism": "words", "dataset": "tickets", "words": ["w1", "w2"]}),
    ("POST", "/v1/release/texts", {"mechanism": "words", "dataset": "words", "texts": ["w1 w2", "w3"], "epsilon": 0.5}),
    ("POST", "/v1/release/texts", {"mechanism": "words", "dataset": "small", "texts": ["w1"], "part": "east"}),
    ("POST", "/v1/release/vectors", {"mechanism": "vectors", "dataset": "people", "vectors": [[1, 0, 0]], "rows": 1}),
    ("POST", "/v1/release/vectors", {"mechanism": "answers", "dataset": "tickets", "vectors": [[1, 0, 0]]}),
    ("POST", "/v1/release/documents", {"mechanism": "words", "dataset": "tickets", "documents": ["w1", ["w2"]]}),
    ("POST", "/v1/preview", {"mechanism": "words", "dataset": "tickets", "kind": "texts", "pieces": 3}),
    ("POST", "/v1/explain", {"mechanism": "words", "words": ["w1"]}),
    ("POST", "/v1/audit", {"mechanism": "vectors"}),
    ("POST", "/v1/stream/texts?mechanism=words&dataset=tickets&records=3&pieces=3", "w1 w2"),
    ("GET", "/v1/datasets/small/history", None),
    ("GET", "/v1/mechanisms", None),
    ("GET", "/metrics", None),
    ("GET", "/ready", None),
]
ODD = [
    "",
    "\x00",
    "\ud800",
    "w1" * 500,
    0,
    -1,
    2**63,
    1e308,
    float("nan"),
    None,
    True,
    [],
    {},
    [[]],
    {"a": 1},
    "*",
    "../x",
]


@dataclass
class Count:
    released: set[str] = field(default_factory=set)
    refused: int = 0


def odd(rng, value, depth=0):
    """Change something somewhere in a value."""
    if rng.random() < 0.25 or depth > 3:
        return rng.choice(ODD)
    if isinstance(value, dict) and value:
        name = rng.choice(list(value))
        changed = {**value, name: odd(rng, value[name], depth + 1)}
        if rng.random() < 0.2:
            changed.pop(name)
        return {**changed, "extra": 1} if rng.random() < 0.1 else changed
    if isinstance(value, list) and value:
        place = rng.randrange(len(value))
        return [*value[:place], odd(rng, value[place], depth + 1), *value[place + 1 :]] * rng.choice([1, 1, 3])
    return rng.choice(ODD)


def request_of(rng, key):
    method, path, body = rng.choice(GOOD)
    if body is not None and rng.random() < 0.7:
        body = odd(rng, body)
    content = b"" if body is None else json.dumps(body).encode()
    if rng.random() < 0.2 and content:
        place = rng.randrange(len(content))
        content = content[:place] + rng.randbytes(rng.choice([0, 1, 9])) + content[place + rng.randrange(3) :]
    headers = dict(key)
    headers["Content-Type"] = "application/x-ndjson" if "stream" in path else "application/json"
    if rng.random() < 0.1:
        headers["Content-Type"] = rng.choice(
            ["text/plain", "application/vnd.apache.arrow.stream", "", "x/y; charset=q"]
        )
    if rng.random() < 0.05:
        headers["Authorization"] = rng.choice(["", "Bearer", "Bearer tv_" + "0" * 16 + "_" + "A" * 43, "Basic x"])
    if rng.random() < 0.1:
        path = path.replace(rng.choice("/vxt=&3"), rng.choice(["%00", "%ff", "//", "..", "-1", "9" * 30]), 1)
    if rng.random() < 0.05:
        method = rng.choice(["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "POST"])
    return method, path, content, headers


async def hammer(app, key, requests, seed):
    rng, count = random.Random(seed), Count()  # noqa: S311
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
        for number in range(requests):
            method, path, content, headers = request_of(rng, key)
            answer = await client.request(method, path, content=content, headers=headers)
            assert answer.status_code < 500, (number, method, path, content, answer.text)
            assert "Traceback" not in answer.text
            assert 'File "' not in answer.text
            if answer.status_code >= 400:
                count.refused += 1
                assert method == "HEAD" or answer.json()["code"]
            elif '"entry"' in answer.text and '"released"' in answer.text:
                receipt = answer.json() if answer.text.count("\n") == 0 else json.loads(answer.text.splitlines()[-1])
                count.released.add(receipt["receipt"]["ledger"]["entry"])
    return count


def fuzzed(service, place, requests, seed=0):
    count = asyncio.run(hammer(build(service), place.key, requests, seed))
    committed = {entry.id for entry in Ledger(str(place.ledger)).history() if entry.state == "committed"}
    assert count.released == committed, "what left the service is what the ledger has"
    assert len(committed) > requests / 50
    assert count.refused > requests / 4


def test_two_thousand_odd_requests_cause_no_fault_and_nothing_leaves_unpaid(service, place):
    fuzzed(service, place, 2_000)


@pytest.mark.endurance
def test_a_hundred_thousand_odd_requests_cause_no_fault_and_nothing_leaves_unpaid(service, place):
    for part in range(50):
        fuzzed(service, place, 2_000, seed=part)
        print(f"{(part + 1) * 2_000:,} requests", flush=True)  # noqa: T201


CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def test_answers_are_what_openapi_says(service, place):
    schema = schemathesis.openapi.from_asgi("/openapi.json", build(service))
    operations = [found.ok() for found in schema.get_all_operations()]
    # Streams are not JSON, which is all that is made up here.
    operations = [operation for operation in operations if not operation.path.startswith("/v1/stream")]
    assert len(operations) == 15
    for operation in operations:

        @settings(
            max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
        )
        @given(case=operation.as_strategy())
        def conforms(case):
            case.call_and_validate(headers=place.key, checks=CHECKS)

        conforms()
