"""`textveil verify` knows a receipt of the service by its sentence and by its entry of the ledger."""

from __future__ import annotations

import json

import pytest

from textveil.jobs import verify

ORDER = {"mechanism": "words", "dataset": "tickets", "texts": ["w1 w2", "w3"]}


@pytest.fixture
def answer(client):
    return client.post("/v1/release/texts", json=ORDER).json()


@pytest.fixture
def saved(tmp_path, answer):
    (tmp_path / "out.txt").write_text("\n".join(answer["released"]))
    (tmp_path / "out.txt.receipt.json").write_text(json.dumps(answer["receipt"], indent=2))
    return tmp_path / "out.txt"


def test_a_receipt_of_the_service_is_verified_by_its_entry(saved, place):
    found = verify(saved, ledger=place.ledger)
    assert found.ok
    assert "of tickets" in str(found)
    assert "out.txt itself can't be checked" in str(found)
    assert "give --ledger" in str(verify(saved))


def test_the_answer_itself_and_the_end_of_a_stream_will_do(client, answer, place, tmp_path):
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    assert verify(tmp_path / "answer.json", tmp_path / "answer.json", ledger=place.ledger).ok
    lines = client.post(
        "/v1/stream/texts?mechanism=words&dataset=tickets&records=1&pieces=2",
        content='"w1 w2"\n',
        headers={"Content-Type": "application/x-ndjson"},
    ).text.splitlines()
    (tmp_path / "end.json").write_text(lines[-1])
    assert verify(tmp_path / "end.json", tmp_path / "end.json", ledger=place.ledger).ok


@pytest.mark.parametrize(
    ("names", "value"),
    [
        (("guarantee", "epsilon"), 0.1),
        (("items",), 7),
        (("created",), "2020-01-01"),
        (("ledger", "entry"), "other"),
        (("ledger", "counted"), False),
        (("ledger",), None),
        (("guarantee", "status"), "certain"),
        (("statement",), "Proved: nothing at all leaks."),
        (("more",), float("nan")),
        (("mechanism", "more"), float("nan")),
    ],
)
def test_an_edited_receipt_of_the_service_is_found(saved, answer, place, names, value):
    inner = receipt = answer["receipt"]
    for key in names[:-1]:
        inner = inner[key]
    inner[names[-1]] = value
    saved.with_name("out.txt.receipt.json").write_text(json.dumps(receipt))
    assert not verify(saved, ledger=place.ledger).ok


def test_what_was_not_counted_is_not_in_a_ledger(open_client, place, tmp_path):
    answer = open_client.post("/v1/release/texts", json={"mechanism": "words", "texts": ["w1"]}).json()
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    assert verify(tmp_path / "answer.json", tmp_path / "answer.json").ok
    assert "no budget paid" in str(verify(tmp_path / "answer.json", tmp_path / "answer.json", ledger=place.ledger))
