"""Errors have a stable code and a remedy, and quote nothing that was sent: not in bodies, headers, logs or metrics."""

from __future__ import annotations

import json
import logging

import pytest
from tests.service.serving import PRIVATE

from textveil.service import bodies
from textveil.service.errors import FIELDS, PROBLEM
from textveil.service.playground import bodies as playground_bodies

BODIES = [
    {"mechanism": PRIVATE, "dataset": "tickets", "texts": ["w1"]},
    {"mechanism": "words", "dataset": PRIVATE, "texts": ["w1"]},
    {"mechanism": "words", "dataset": "tickets", "texts": PRIVATE},
    {"mechanism": "words", "dataset": "tickets", "texts": [{PRIVATE: 1}]},
    {"mechanism": "words", "dataset": "tickets", "texts": ["w1"], PRIVATE: PRIVATE},
    {"mechanism": "words", "dataset": "tickets", "texts": ["w1"], "epsilon": PRIVATE},
    {"mechanism": "words", "dataset": "tickets", "texts": ["w1"], "part": PRIVATE + "\n"},
    {"mechanism": "vectors", "dataset": "tickets", "texts": [PRIVATE]},
    {"mechanism": PRIVATE + " ", "dataset": "tickets", "texts": [PRIVATE]},
    [PRIVATE],
    PRIVATE,
]


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_a_wrong_body_is_refused_without_being_quoted(client, place, caplog, body):
    caplog.set_level(logging.DEBUG)
    answer = client.post("/v1/release/texts", json=body)
    check_problem(answer, caplog)
    metrics = client.get("/metrics", headers={"Authorization": f"Bearer {place.metrics_token}"}).text
    assert PRIVATE not in metrics


@pytest.mark.parametrize(
    "content",
    [
        f'{{"texts": ["{PRIVATE}"'.encode(),
        b"\xff" + PRIVATE.encode(),
        PRIVATE.encode(),
        b"",
        b"[" * 100_000,
        b'{"mechanism": "vectors", "dataset": "tickets", "vectors": [[NaN, Infinity, 1e999]]}',
    ],
    ids=["cut", "not-utf-8", "no-json", "empty", "deep", "nan"],
)
def test_what_is_no_json_is_refused_without_being_quoted(client, caplog, content):
    caplog.set_level(logging.DEBUG)
    headers = {"Content-Type": "application/json"}
    check_problem(client.post("/v1/release/texts", content=content, headers=headers), caplog)
    check_problem(client.post("/v1/release/vectors", content=content, headers=headers), caplog)


def test_lone_surrogates_are_words_like_others(client):
    for field, path in (("texts", "/v1/release/texts"), ("words", "/v1/release/words")):
        content = f'{{"mechanism": "words", "dataset": "tickets", "{field}": ["\\ud800 {PRIVATE}"]}}'
        answer = client.post(path, content=content, headers={"Content-Type": "application/json"})
        assert answer.status_code == 200
        assert PRIVATE not in answer.text


def test_paths_queries_and_methods_are_not_quoted(client, caplog):
    caplog.set_level(logging.DEBUG)
    check_problem(client.get(f"/{PRIVATE}"), caplog)
    check_problem(client.get(f"/v1/{PRIVATE}?{PRIVATE}={PRIVATE}"), caplog)
    check_problem(client.get(f"/v1/mechanisms/{PRIVATE}"), caplog)
    check_problem(client.get(f"/v1/datasets/{PRIVATE}"), caplog)
    check_problem(client.request(PRIVATE.upper(), "/health"), caplog)
    check_problem(client.get("/v1/release/texts"), caplog)


def test_the_status_says_what_is_wrong(client):
    body = b'{"mechanism": "words", "dataset": "tickets", "texts": ["w1"]}'
    refused = client.post("/v1/release/texts", content=body)
    assert (refused.status_code, refused.json()["code"]) == (415, "unsupported-media-type")
    for path in ("release/texts", "preview", "stream/texts", "page/word"):
        answer = client.get(f"/v1/{path}")
        assert (answer.status_code, answer.json()["code"]) == (405, "method-not-allowed")
    assert client.get("/v1/nothing").status_code == 404
    assert client.get("/").status_code == 200


def test_a_fault_is_logged_by_kind_and_place_only(client, caplog, monkeypatch):
    from textveil.text import TextRewriter

    def fail(self, private, **more):
        raise RuntimeError(PRIVATE)

    monkeypatch.setattr(TextRewriter, "release_with_receipt", fail)
    caplog.set_level(logging.DEBUG)
    answer = client.post("/v1/release/texts", json={"mechanism": "words", "dataset": "tickets", "texts": [PRIVATE]})
    assert answer.status_code == 500
    check_problem(answer, caplog, least=500)
    assert "fault RuntimeError at" in caplog.text
    assert "test_errors.py" in caplog.text


def check_problem(answer, caplog, least=400):
    assert least <= answer.status_code < least + 100
    assert answer.headers["content-type"] == PROBLEM
    problem = answer.json()
    assert problem["status"] == answer.status_code
    assert problem["type"].endswith(problem["code"])
    assert problem["remedy"]
    ours = [record.getMessage() for record in caplog.records if record.name.startswith(("textveil", "uvicorn"))]
    for text in (answer.text, str(answer.headers), *ours):
        assert PRIVATE.lower() not in text.lower()
        assert "Traceback" not in text


def test_every_field_has_a_name_that_may_be_repeated():
    kinds = (bodies._Request, playground_bodies._Asked)
    asked = [*vars(bodies).values(), *vars(playground_bodies).values()]
    orders = [value for value in asked if isinstance(value, type) and issubclass(value, kinds)]
    names = {name for order in orders for name in order.model_fields}
    assert names <= FIELDS
    assert json.dumps(sorted(FIELDS - names)) == '["name"]'
