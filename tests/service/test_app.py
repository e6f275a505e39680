from __future__ import annotations

import logging

import pytest
from tests.service.serving import PRIVATE

from textveil.ledger import Ledger, LedgerError

RELEASE = {"mechanism": "words", "dataset": "tickets", "texts": [f"w1 {PRIVATE}"]}


def test_health_and_ready(client, service, monkeypatch):
    assert client.get("/health").json() == {"state": "alive"}
    assert client.get("/ready").json() == {"state": "ready"}

    def fail(*given):
        raise LedgerError("gone")

    monkeypatch.setattr(Ledger, "datasets", fail)
    assert client.get("/ready").status_code == 503
    monkeypatch.undo()
    service.stopping = True
    assert (client.get("/ready").status_code, client.get("/health").status_code) == (503, 200)
    refused = client.post("/v1/release/texts", json=RELEASE)
    assert (refused.status_code, refused.json()["code"]) == (503, "stopping")


def test_mechanisms_are_listed_with_parameters_and_guarantees(client):
    listed = {each["name"]: each for each in client.get("/v1/mechanisms").json()["mechanisms"]}
    assert list(listed) == ["words", "endless", "vectors", "answers"]
    words = client.get("/v1/mechanisms/words").json()
    assert words == listed["words"]
    assert words["takes"] == ["words", "texts"]
    assert [each["epsilon"] for each in words["epsilons"]] == [0.5, 0.25]
    assert words["epsilons"][0]["promises"]["texts"].startswith("Proved:")
    assert listed["vectors"]["dimension"] == 3
    assert client.get("/v1/mechanisms/none").json()["code"] == "unknown-mechanism"


def test_explain_speaks_of_public_words_and_costs_nothing(client, place):
    asked = {"mechanism": "words", "words": ["w1", "w2"]}
    explained = client.post("/v1/explain", json=asked).json()
    assert [each["word"] for each in explained["words"]] == ["w1", "w2"]
    assert all(0 < each["stays"] < 1 for each in explained["words"])
    assert Ledger(place.ledger).history() == []
    assert client.post("/v1/explain", json={**asked, "mechanism": "vectors"}).status_code == 422


@pytest.mark.parametrize("name", ["words", "vectors"])
def test_an_audit_says_whether_the_promise_holds(client, name):
    report = client.post("/v1/audit", json={"mechanism": name}).json()
    assert report["verdict"] == "holds"
    assert client.post("/v1/audit", json={"mechanism": name}).json() == report


def test_budgets_and_their_history_can_be_read(client):
    client.post("/v1/release/texts", json=RELEASE)
    listed = {each["name"]: each["facts"] for each in client.get("/v1/datasets").json()["datasets"]}
    assert set(listed) == {"tickets", "words", "people", "small"}
    assert listed["tickets"]["spent"]["epsilon"] == "2"
    assert client.get("/v1/datasets/tickets").json()["facts"] == listed["tickets"]
    history = client.get("/v1/datasets/tickets/history")
    assert [entry["state"] for entry in history.json()["entries"]] == ["committed"]
    assert PRIVATE not in history.text


def test_metrics_count_requests_and_records_and_name_no_data(client, place):
    client.post("/v1/release/texts", json=RELEASE)
    client.post("/v1/release/texts", json={**RELEASE, "epsilon": 9})
    page = client.get("/metrics", headers={"Authorization": f"Bearer {place.metrics_token}"}).text
    assert 'textveil_requests_total{route="/v1/release/texts",status="200"} 1.0' in page
    assert 'textveil_released_records_total{kind="texts",mechanism="words"} 1.0' in page
    assert 'textveil_problems_total{code="invalid-input"} 1.0' in page
    for private in (PRIVATE, "tickets", place.token, place.token.split("_")[1]):
        assert private not in page


def test_the_log_has_the_route_and_the_key_but_no_body_query_or_secret(client, place, caplog):
    caplog.set_level(logging.INFO)
    client.post("/v1/release/texts", json=RELEASE)
    client.get(f"/v1/datasets/{PRIVATE}?x={PRIVATE}")
    lines = [record.getMessage() for record in caplog.records if record.name == "textveil.service"]
    number, secret = place.token.split("_", 2)[1:]
    assert lines[0].startswith("POST /v1/release/texts 200")
    assert lines[0].endswith(f"key {number}")
    assert lines[1].startswith("GET /v1/datasets/{name} 404")
    assert all(PRIVATE not in line and secret not in line and "tickets" not in line for line in lines)


def test_every_answer_has_safe_headers_and_none_opens_other_origins(client):
    for answer in (client.get("/health"), client.get("/nothing"), client.get("/v1/mechanisms")):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]
        assert "unsafe" not in answer.headers["Content-Security-Policy"]
        assert answer.headers["Cache-Control"] == "no-store"
        assert "server" not in answer.headers
    origin = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = client.options("/v1/release/texts", headers=origin)
    assert answer.status_code == 405
    assert not any(name.lower().startswith("access-control") for name in answer.headers)


def test_a_page_of_another_site_can_not_post_without_asking_first(open_client):
    plain = {"Content-Type": "text/plain"}
    body = b'{"mechanism": "words", "texts": ["w1"]}'
    assert open_client.post("/v1/release/texts", content=body, headers=plain).status_code == 415


def test_the_pages_of_fastapi_are_not_there(client):
    assert [client.get(path).status_code for path in ("/docs", "/redoc")] == [404, 404]
