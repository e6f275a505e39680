from __future__ import annotations

import numpy as np
import pytest
from fastapi.testclient import TestClient

import textveil as tv
from textveil.encoders import AveragedWords, TextEmbedder
from textveil.service.app import build
from textveil.service.catalogue import Catalogue, Kind, Offer, works_of
from textveil.service.limits import Buckets, Limits
from textveil.service.service import Service
from textveil.service.spending import Uncounted

TEXTS = {"mechanism": "words", "texts": ["w1"]}


def limited(catalogue, **more):
    service = Service(catalogue, Uncounted(), None, **{"rate": 1e6, "burst": 1e6, **more})
    return TestClient(build(service), base_url="http://localhost")


def test_a_bucket_gives_a_burst_and_then_its_rate():
    now = [0.0]
    buckets = Buckets(2.0, 3.0, clock=lambda: now[0])
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert buckets.take("b") == 0
    now[0] = 0.5
    assert (buckets.take("a"), buckets.take("a")) == (0, 0.5)
    now[0] = 100.0
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_a_caller_may_have_its_own_rate():
    buckets = Buckets(10.0, 20.0, clock=lambda: 0.0)
    assert [buckets.take("a", rate=1.0) for _ in range(3)] == [0, 0, 1.0]


def test_too_many_requests_are_told_to_wait(catalogue):
    client = limited(catalogue, rate=0.1, burst=2.0)
    assert [client.get("/v1/mechanisms").status_code for _ in range(3)] == [200, 200, 429]
    refused = client.post("/v1/release/texts", json=TEXTS)
    assert refused.json()["code"] == "rate-limited"
    assert int(refused.headers["Retry-After"]) >= 1
    assert client.get("/health").status_code == 200


def test_wrong_secrets_for_a_key_are_tried_only_a_few_times(client, place, service, monkeypatch):
    tried = []
    monkeypatch.setattr(service.keys, "check", tried.append)
    wrong = {"Authorization": f"Bearer tv_{place.token.split('_')[1]}_{'A' * 43}"}
    statuses = [client.get("/v1/mechanisms", headers=wrong).status_code for _ in range(15)]
    assert statuses == [401] * 10 + [429] * 5
    assert len(tried) == 10


def test_a_body_is_refused_by_its_length_before_it_is_read_and_by_what_comes(catalogue):
    client = limited(catalogue, limits=Limits(body_bytes=1000))
    big = client.post("/v1/release/texts", json={**TEXTS, "texts": ["w1" * 1000]})
    assert (big.status_code, big.json()["code"]) == (413, "too-large")

    def chunks():
        for _ in range(100):
            yield b" " * 100

    streamed = client.post("/v1/release/texts", content=chunks(), headers={"Content-Type": "application/json"})
    assert (streamed.status_code, streamed.json()["code"]) == (413, "too-large")
    nonsense = client.post("/v1/release/texts", content=b"{}", headers={"Content-Length": "x"})
    assert nonsense.status_code == 413


def test_records_and_numbers_are_limited(catalogue):
    client = limited(catalogue, limits=Limits(records=2, numbers=5))
    assert client.post("/v1/release/texts", json={**TEXTS, "texts": ["w1"] * 3}).status_code == 413
    vectors = {"mechanism": "vectors", "vectors": [[1, 0, 0]] * 2}
    assert client.post("/v1/release/vectors", json=vectors).status_code == 413


def test_the_numbers_of_an_answer_are_limited_before_anything_is_paid(catalogue):
    words = catalogue.offer("words").work(Kind.TEXTS, None)
    assert words.gives == 0
    table = tv.Vocabulary([f"w{i}" for i in range(8)], np.random.default_rng(0).normal(size=(8, 3)))
    embedder = TextEmbedder(tv.PrivUnit(epsilon=1, dimension=3), encoder=AveragedWords(table))
    client = limited(Catalogue([Offer("embed", {1.0: works_of(embedder, {})})]), limits=Limits(numbers=5))
    order = {"mechanism": "embed", "texts": ["w1"]}
    assert client.post("/v1/release/texts", json=order).status_code == 200
    refused = client.post("/v1/release/texts", json={**order, "texts": ["w1", "w2"]})
    assert (refused.status_code, refused.json()["detail"]) == (413, "an answer may have at most 5 numbers")


def test_limits_must_be_whole_numbers_above_zero():
    with pytest.raises(tv.InvalidInputError, match="body_bytes"):
        Limits(body_bytes=0)
    with pytest.raises(tv.InvalidInputError, match="rate"):
        Buckets(0, 1)
