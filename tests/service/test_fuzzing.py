"""Whatever is sent: no fault, no trace of code, nothing released that was not reserved; and OpenAPI tells the truth."""

from __future__ import annotations

import asyncio
import io
import json
import random
import re
import sys

import pyarrow as pa
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.service.asking import ask
from tests.service.conftest import anew

from textveil.ledger import Ledger
from textveil.service.app import build
from textveil.service.counting import Counted
from textveil.service.service import Service

MEDIA = "application/x-ndjson"
ARROW = "application/vnd.apache.arrow.stream"


def arrow(column):
    sink = io.BytesIO()
    batch = pa.record_batch([column], names=["x"])
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
        writer.write_batch(batch.slice(1))
    return sink.getvalue()


TEXTS = arrow(pa.array(["w1 w2", "w3"]))
VECTORS = arrow(pa.array([[1.0, 0.0, 0.0]] * 2, type=pa.list_(pa.float32(), 3)))
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
    ("POST", "/v1/stream/texts?mechanism=words&dataset=tickets&records=3&pieces=3", b'"w1 w2"\n"w3"\n\n"w4"'),
    ("POST", "/v1/stream/words?mechanism=words&dataset=words&records=3", b'"w1"\n"w2"\n"w3"\n"w4"\n'),
    ("POST", "/v1/stream/vectors?mechanism=vectors&dataset=people&records=2&rows=1", b"[1, 0, 0]\n[0, 1, 0]\n"),
    ("POST", "/v1/stream/texts?mechanism=words&dataset=tickets&records=3&pieces=3", TEXTS),
    ("POST", "/v1/stream/vectors?mechanism=answers&dataset=tickets&records=2", VECTORS),
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
    10**400,
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
    if isinstance(body, bytes):
        content = body
    else:
        if body is not None and rng.random() < 0.7:
            body = odd(rng, body)
        content = b"" if body is None else json.dumps(body).encode()
    if rng.random() < 0.2 and content:
        place = rng.randrange(len(content))
        content = content[:place] + rng.randbytes(rng.choice([0, 1, 9])) + content[place + rng.randrange(3) :]
    headers = dict(key)
    headers["Content-Type"] = MEDIA if "stream" in path else "application/json"
    if content[:4] == b"\xff\xff\xff\xff":
        headers["Content-Type"] = ARROW
    if rng.random() < 0.1:
        headers["Content-Type"] = rng.choice(["text/plain", ARROW, "", "x/y; charset=q"])
    if rng.random() < 0.05:
        headers["Authorization"] = rng.choice(["", "Bearer", "Bearer tv_" + "0" * 16 + "_" + "A" * 43, "Basic x"])
    if rng.random() < 0.05:
        headers["Content-Length"] = rng.choice(["-1", "x", "\u00b2", "9" * 5000, str(len(content))])
    if rng.random() < 0.1:
        path = path.replace(rng.choice("/vxt=&3"), rng.choice(["%00", "%ff", "//", "..", "-1", "9" * 30]), 1)
    if rng.random() < 0.05:
        method = rng.choice(["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "POST"])
    return method, path, content, headers


async def hammer(app, key, requests, seed):
    """Send odd requests; return the entries that receipts name, and how many answers hold something released."""
    rng, told, released, refused = random.Random(seed), set(), 0, 0  # noqa: S311
    for number in range(requests):
        method, path, content, headers = request_of(rng, key)
        answer = await ask(app, method, path, content, headers, pieces=rng.choice([1, 1, 3]))
        about = (number, method, path, content, headers, answer)
        assert answer.status < 500, about
        assert b"Traceback" not in answer.body, about
        assert b'File "' not in answer.body, about
        if answer.status >= 400:
            refused += 1
            assert json.loads(answer.body)["code"], about
        elif b"released" in answer.body and path.startswith(("/v1/release", "/v1/stream")):
            released += 1
            told |= {entry.decode() for entry in re.findall(rb'"entry": "(\w+)"', answer.body)}
    return told, released, refused


def fuzzed(place, catalogue, keys, requests, seed):
    spending = Counted(place.ledger)
    service = Service(catalogue, spending, keys, rate=1e6, burst=1e6)
    told, released, refused = asyncio.run(hammer(build(service), place.key, requests, seed))
    committed = {entry.id for entry in Ledger(place.ledger).history() if entry.state == "committed"}
    assert told <= committed, "a receipt names an entry that the ledger has"
    assert released == len(committed), "what left the service is what the ledger has"
    assert len(told) > requests / 50
    assert refused > requests / 4
    spending.close()


def test_two_thousand_odd_requests_cause_no_fault_and_nothing_leaves_unpaid(place, catalogue, keys):
    fuzzed(place, catalogue, keys, 2_000, 0)


@pytest.mark.soak
@pytest.mark.parametrize("half", [1, 2])
def test_a_hundred_thousand_odd_requests_cause_no_fault_and_nothing_leaves_unpaid(
    settled, catalogue, keys, capfd, half
):
    with capfd.disabled():
        for part in range(1, 11):
            with anew(settled) as place:
                fuzzed(place, catalogue, keys, 5_000, 100 * half + part)
            print(f"half {half}: {part * 5_000:,} requests", file=sys.stderr)  # noqa: T201


CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def test_answers_are_what_openapi_says(service, place):
    schema = schemathesis.openapi.from_asgi("/openapi.json", build(service))
    operations = [found.ok() for found in schema.get_all_operations()]
    # Streams are not JSON, which is all that is made up here.
    operations = [operation for operation in operations if not operation.path.startswith("/v1/stream")]
    assert len(operations) == 21
    for operation in operations:

        @settings(
            max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
        )
        @given(case=operation.as_strategy())
        def conforms(case):
            case.call_and_validate(headers=place.key, checks=CHECKS)

        conforms()
