"""Those who mean harm: they dribble, smuggle, flood and guess; nothing is unpacked, waited for or given away."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import shutil
import socket
import threading
import time
from contextlib import closing, contextmanager, suppress

import anyio
import pytest
from tests.service.asking import ask
from tests.service.serving import PRIVATE

from textveil.ledger import Ledger
from textveil.service import gate, running
from textveil.service.app import build
from textveil.service.keys import KeyFile

RELEASE = {"mechanism": "words", "dataset": "tickets", "texts": ["w1"]}
JSON = {"Content-Type": "application/json"}


def test_a_request_that_is_sent_again_is_paid_again(client, place):
    for _ in range(2):
        assert client.post("/v1/release/texts", json=RELEASE).status_code == 200
    assert len(Ledger(place.ledger).history("tickets")) == 2


def test_a_body_that_dribbles_is_given_up(service, place, monkeypatch):
    monkeypatch.setattr(gate, "PATIENCE_SECONDS", 0.05)

    async def dribbling():
        with anyio.fail_after(5):
            return await ask(build(service), "POST", "/v1/release/texts", b"{", place.key | JSON, delay=10)

    answer = asyncio.run(dribbling())
    assert (answer.status, json.loads(answer.body)["detail"]) == (400, "The body did not come in time.")


def test_a_packed_body_is_not_unpacked(client):
    bomb = gzip.compress(json.dumps({**RELEASE, "texts": ["w1 " * 10**6]}).encode())
    answer = client.post("/v1/release/texts", content=bomb, headers={**JSON, "Content-Encoding": "gzip"})
    assert answer.status_code in (400, 415, 422)


@pytest.mark.parametrize("length", ["-1", "1e3", "²", "9" * 5000, "0x10", "1, 1"])
def test_a_length_that_is_no_number_is_refused(service, place, length):
    headers = {**place.key, **JSON, "Content-Length": length}
    answer = asyncio.run(ask(build(service), "POST", "/v1/release/texts", b"{}", headers))
    assert answer.status == 413


def test_callers_that_begin_at_once_pay_for_one_hash(service, place):
    service.keys = KeyFile(place.keys)
    app, hashed, check = build(service), [], service.keys.check
    service.keys.check = lambda token: hashed.append(1) or check(token)

    async def begin():
        asked = [ask(app, "GET", "/v1/mechanisms", b"", place.key) for _ in range(40)]
        return [answer.status for answer in await asyncio.gather(*asked)]

    assert asyncio.run(begin()) == [200] * 40
    assert len(hashed) == 1


def test_a_file_of_keys_that_breaks_is_told_the_operator_and_nobody_else(client, service, place, caplog):
    service.keys = KeyFile(place.keys)
    place.keys.chmod(0o644)
    answer = client.get("/v1/mechanisms")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "keys.json" not in answer.text
    assert "chmod 600" in caplog.text


@contextmanager
def served(service):
    """The service behind a real socket."""
    server = running.server_of(service, host="127.0.0.1", port=0, grace=1)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)


def exchange(port, sent):
    """Send bytes and return all that comes until the other side closes."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection, suppress(ConnectionError):
        connection.sendall(sent)
        while piece := connection.recv(65536):
            received += piece
    return received


def test_a_stream_that_is_cut_off_by_a_stop_is_logged_by_its_kind_alone(service, place, caplog):
    caplog.set_level(logging.DEBUG)
    head = (
        "POST /v1/stream/texts?mechanism=words&dataset=tickets&records=9&pieces=2 HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: Bearer {place.token}\r\nContent-Type: application/x-ndjson\r\n"
        'Transfer-Encoding: chunked\r\n\r\n5\r\n"w1"\n\r\n'
    )
    with closing(socket.socket()) as connection, served(service) as port:
        connection.connect(("127.0.0.1", port))
        connection.sendall(head.encode())
        while b"released" not in connection.recv(65536):
            pass
        service.stopping = True
    assert "cut off, since the service stops" in caplog.text
    assert not [record for record in caplog.records if record.exc_info]
    assert "Traceback" not in caplog.text
    # A slow machine stops before the receipt is noted: it is spent all the same.
    (entry,) = Ledger(place.ledger).history("tickets")
    assert entry.state in ("committed", "touched")


def test_a_ledger_that_is_replaced_under_a_service_stops_it(client, place):
    assert client.get("/ready").status_code == 200
    shutil.copy(place.ledger, place.folder / "copy.db")
    (place.folder / "copy.db").replace(place.ledger)
    answer = client.post("/v1/release/texts", json=RELEASE)
    assert (answer.status_code, answer.json()["code"]) == (503, "ledger-unavailable")
    assert client.get("/ready").status_code == 503
    assert client.get("/health").status_code == 200


def test_requests_can_not_be_smuggled_and_silent_connections_are_closed(service, place, monkeypatch, caplog):
    monkeypatch.setattr(running, "_IDLE_SECONDS", 0.3)
    caplog.set_level(logging.DEBUG, logger="textveil")
    hidden = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    head = f"POST /v1/release/texts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {place.token}\r\n".encode()
    both = head + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden
    twice = head + b"Content-Length: 0\r\nContent-Length: 40\r\n\r\n" + hidden
    folded = head + b"Transfer-Encoding: xchunked\r\n\r\n" + hidden
    with served(service) as port:
        for sent in (both, both.replace(b"Bearer", b"Basic"), twice, folded, b"X" * 200_000 + b"\r\n" + hidden):
            assert b"HTTP/1.1 200" not in exchange(port, sent)
        assert exchange(port, both).startswith(b"HTTP/1.1 400")
        began = time.monotonic()
        assert exchange(port, b"GET /health HTTP/1.1\r\nHost: ") == b""
        assert exchange(port, b"") == b""
        assert exchange(port, hidden).startswith(b"HTTP/1.1 200")
        assert time.monotonic() - began < 15
    assert place.token not in caplog.text
    assert PRIVATE not in caplog.text
    assert Ledger(place.ledger).history("tickets") == []
