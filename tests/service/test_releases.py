"""Every release is reserved, touched, released and committed, in this order, and its answer carries the receipt."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.service.serving import EPSILON, PRIVATE, RADIUS

from textveil.ledger import Ledger, LedgerError
from textveil.receipts import digest_of
from textveil.service.errors import Code


def entries(place, dataset="tickets"):
    return Ledger(place.ledger).history(dataset)


def order(**more):
    return {"mechanism": "words", "dataset": "tickets", **more}


def test_words_are_released_and_paid_for_as_one_record(client, place):
    answer = client.post("/v1/release/words", json=order(words=["w1", "w2", PRIVATE]))
    assert answer.status_code == 200
    assert len(answer.json()["released"]) == 3
    assert PRIVATE not in answer.text
    (entry,) = entries(place)
    assert entry.state == "committed"
    assert entry.cost.epsilon == 3 * Fraction(EPSILON) * Fraction(RADIUS)


def test_a_text_costs_what_its_words_cost(client, place):
    answer = client.post("/v1/release/texts", json=order(texts=["w1 w2, w3!", "w1"]))
    assert answer.status_code == 200
    assert answer.json()["released"][0].count(" ") == 2
    (entry,) = entries(place)
    assert entry.cost.epsilon == 3 * Fraction(EPSILON) * Fraction(RADIUS)
    assert answer.json()["receipt"]["guarantee"]["positions"] == 3


def test_a_data_set_of_words_pays_for_one_word(client, place):
    client.post("/v1/release/texts", json=order(texts=["w1 w2 w3"], dataset="words"))
    (entry,) = entries(place, "words")
    assert entry.cost.epsilon == Fraction(EPSILON) * Fraction(RADIUS)


def test_all_records_may_be_one_person_unless_the_caller_says_otherwise(client, place):
    three = {"mechanism": "vectors", "dataset": "people", "vectors": [[1, 0, 0]] * 3}
    assert client.post("/v1/release/vectors", json=three).status_code == 200
    assert client.post("/v1/release/vectors", json={**three, "rows": 2}).status_code == 200
    first, second = entries(place, "people")
    assert (first.cost.epsilon, second.cost.epsilon) == (3, 2)


def test_vectors_and_public_answers(client):
    vectors = {"dataset": "tickets", "vectors": [[1, 0, 0], [0, 0.5, 0]]}
    released = client.post("/v1/release/vectors", json={**vectors, "mechanism": "vectors"}).json()["released"]
    assert [len(vector) for vector in released] == [3, 3]
    chosen = client.post("/v1/release/vectors", json={**vectors, "mechanism": "answers"}).json()["released"]
    assert [each["text"] for each in chosen] == [f"public sentence {each['index']}" for each in chosen]


def test_records_that_are_public_candidates_are_refused_before_anything_is_paid(client, place):
    with np.load(place.folder / "candidates.npz") as saved:
        public = saved["vectors"][3].tolist()
    asked = {"mechanism": "answers", "dataset": "tickets", "vectors": [[1, 0, 0], public]}
    refused = client.post("/v1/release/vectors", json=asked)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid-input")
    assert "words with one: 1;" in refused.json()["detail"]
    assert entries(place) == []


def test_numbers_that_are_huge_are_looked_up_without_a_fault(client):
    asked = {"mechanism": "answers", "dataset": "tickets", "vectors": [[1e308, 0, 0]]}
    assert client.post("/v1/release/vectors", json=asked).status_code < 500


def test_the_receipt_is_the_one_that_the_ledger_knows(client, place):
    receipt = client.post("/v1/release/texts", json=order(texts=["w1 w2"], part="east")).json()["receipt"]
    (entry,) = entries(place)
    assert receipt["ledger"]["entry"] == entry.id
    assert receipt["ledger"]["counted"] is True
    assert (receipt["private"], receipt["randomness"]) == (True, "secure")
    assert entry.part == "east"
    assert entry.receipt == digest_of(receipt)


def test_without_a_ledger_the_receipt_says_that_nothing_was_counted(open_client):
    answer = open_client.post("/v1/release/texts", json={"mechanism": "words", "texts": ["w1"]})
    assert answer.json()["receipt"]["ledger"]["counted"] is False
    assert "nothing was counted" in answer.json()["receipt"]["ledger"]["statement"]


def test_with_a_ledger_a_data_set_must_be_named(client):
    answer = client.post("/v1/release/texts", json={"mechanism": "words", "texts": ["w1"]})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-input")


def test_what_the_budget_does_not_allow_is_not_released(client, place):
    small = order(dataset="small", texts=["w1 w2"])
    assert client.post("/v1/release/texts", json=small).status_code == 200
    refused = client.post("/v1/release/texts", json=small)
    assert (refused.status_code, refused.json()["code"]) == (409, "over-budget")
    assert "released" not in refused.json()
    assert len(entries(place, "small")) == 1


def test_an_unbounded_loss_is_refused_with_the_remedy(client, place):
    refused = client.post("/v1/release/texts", json=order(mechanism="endless", texts=["w1"]))
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid-input")
    assert "radius" in refused.json()["detail"]
    assert entries(place) == []


@pytest.mark.parametrize("step", ["reserve", "commit"])
def test_if_the_ledger_fails_at_any_step_nothing_is_sent(client, place, service, monkeypatch, step):
    from textveil.ledger import Reservation

    def fail(*given, **named):
        raise LedgerError("postgresql://host/name can't be used")

    monkeypatch.setattr(Ledger if step == "reserve" else Reservation, step, fail)
    answer = client.post("/v1/release/texts", json=order(texts=["w1 w2"]))
    assert (answer.status_code, answer.json()["code"]) == (503, "ledger-unavailable")
    assert "postgresql" not in answer.text
    monkeypatch.undo()
    states = [entry.state for entry in entries(place)]
    assert states == {"reserve": [], "commit": ["touched"]}[step]


def test_it_is_touched_before_the_mechanism_and_committed_before_the_answer(client, place, service, monkeypatch):
    seen = []
    mechanism = service.catalogue.offer("words").work("texts", None).mechanism
    real = type(mechanism).release_with_receipt

    def watched(self, private, **more):
        seen.append([entry.state for entry in entries(place)])
        return real(self, private, **more)

    monkeypatch.setattr(type(mechanism), "release_with_receipt", watched)
    client.post("/v1/release/texts", json=order(texts=["w1"]))
    assert seen == [["touched"]]
    assert [entry.state for entry in entries(place)] == ["committed"]


def test_a_mechanism_that_fails_has_spent_what_was_touched_and_says_nothing(client, place, monkeypatch):
    from textveil.text import TextRewriter

    def fail(self, private, **more):
        raise RuntimeError(f"could not do {private}")

    monkeypatch.setattr(TextRewriter, "release_with_receipt", fail)
    answer = client.post("/v1/release/texts", json=order(texts=[PRIVATE]))
    assert (answer.status_code, answer.json()["code"]) == (500, Code.INTERNAL)
    assert PRIVATE not in answer.text
    assert [entry.state for entry in entries(place)] == ["touched"]


def test_what_a_mechanism_would_not_take_costs_nothing(client, place):
    wrong = {"mechanism": "vectors", "dataset": "tickets", "vectors": [[1, 2]]}
    assert client.post("/v1/release/vectors", json=wrong).status_code == 422
    assert client.post("/v1/release/words", json={**wrong, "words": ["w1"]}).status_code == 422
    assert entries(place) == []


def test_only_the_epsilons_of_the_operator_can_be_chosen(client, place):
    assert client.post("/v1/release/texts", json=order(texts=["w1"], epsilon=0.25)).status_code == 200
    assert entries(place)[0].cost.epsilon == Fraction(1, 2)
    refused = client.post("/v1/release/texts", json=order(texts=["w1"], epsilon=0.3))
    assert refused.status_code == 422
    assert "0.5, 0.25" in refused.json()["detail"]


def test_fresh_noise_is_drawn_for_every_request(client):
    vectors = {"mechanism": "vectors", "dataset": "tickets", "vectors": [[1, 0, 0]]}
    answers = [client.post("/v1/release/vectors", json=vectors).json()["released"][0] for _ in range(3)]
    assert len({tuple(each) for each in answers}) == 3
    assert client.post("/v1/release/vectors", json={**vectors, "seed": 1}).status_code == 422


def test_a_preview_costs_nothing_and_tells_what_a_release_would(client, place):
    asked = order(kind="texts", pieces=4)
    preview = client.post("/v1/preview", json=asked).json()
    assert (preview["allowed"], preview["cost"]["epsilon"], preview["worst_case"]) == (True, "4", 4.0)
    assert preview["cost"]["epsilon_decimal"] == 4.0
    assert 0 < preview["stays"] < 1
    assert client.post("/v1/preview", json=asked | {"mechanism": "vectors", "kind": "vectors"}).json()["stays"] is None
    assert entries(place) == []
    too_much = client.post("/v1/preview", json=order(dataset="small", kind="texts", pieces=4)).json()
    assert too_much["allowed"] is False
