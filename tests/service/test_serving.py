"""The service as a process: it starts from the command line, answers, logs nothing private, and stops in peace."""

from __future__ import annotations

import json
import signal
import threading
import time

import pytest
from tests.service.serving import PRIVATE, Running
from typer.testing import CliRunner

from textveil.cli import app
from textveil.errors import InvalidInputError
from textveil.ledger import Ledger
from textveil.service.keys import KeyFile

RELEASE = {"mechanism": "words", "dataset": "tickets", "texts": [f"w1 {PRIVATE}"]}


def test_a_service_runs_and_stops_after_what_is_under_way(place):
    with Running(place) as running:
        stopped(running, place)


def stopped(running, place):
    assert running.client.get("/ready").json() == {"state": "ready"}
    assert running.client.post("/v1/release/texts", json=RELEASE).status_code == 200
    assert running.client.post("/v1/release/texts", content=PRIVATE.encode()).status_code == 415

    def lines():
        yield b'"w1"\n'
        time.sleep(0.5)
        running.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        yield b'"w2"\n'

    asked = {"mechanism": "words", "dataset": "tickets", "records": 2, "pieces": 1}
    answer = running.client.post(
        "/v1/stream/texts", params=asked, content=lines(), headers={"Content-Type": "application/x-ndjson"}
    )
    assert [next(iter(json.loads(line))) for line in answer.text.splitlines()] == ["released", "released", "receipt"]
    assert running.process.wait(60) == 0
    assert [entry.state for entry in Ledger(place.ledger).history("tickets")] == ["committed"] * 2
    log = running.log.read_text()
    assert "POST /v1/release/texts 200" in log
    assert PRIVATE not in log
    assert place.token.split("_", 2)[2] not in log


def test_a_caller_that_sends_all_before_it_reads_gets_no_deadlock(place):
    with Running(place, "--quick") as running:
        send_all(running)


def send_all(running):
    text = " ".join(["w1"] * 1000)
    body = (json.dumps(text) + "\n").encode() * 2000
    asked = {"mechanism": "words", "dataset": "words", "records": 2000, "pieces": 1000}
    done = []

    def post():
        headers = {"Content-Type": "application/x-ndjson"}
        done.append(running.client.post("/v1/stream/texts", params=asked, content=body, headers=headers))

    thread = threading.Thread(target=post, daemon=True)
    thread.start()
    thread.join(120)
    assert done
    assert done[0].text.count("released") == 2000


def test_keys_are_made_listed_and_revoked_from_the_command_line(tmp_path):
    path = str(tmp_path / "k.json")
    run = CliRunner().invoke
    made = run(app, ["serve", "keys", "add", "mine", "--dataset", "tickets 2026", "--keys", path])
    token = made.stdout.strip()
    assert KeyFile(path).check(token).datasets == ("tickets 2026",)
    listed = run(app, ["serve", "keys", "list", "--keys", path]).stdout
    assert "tickets 2026" in listed
    assert token.split("_", 2)[2] not in listed
    run(app, ["serve", "keys", "revoke", token.split("_")[1], "--keys", path])
    assert "revoked" in run(app, ["serve", "keys", "list", "--keys", path]).stdout
    assert KeyFile(path).check(token) is None


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "--ledger FILE"),
        (["--ledger", "x", "--no-ledger"], "--ledger FILE"),
        (["--no-ledger"], "keys add"),
        (["--no-ledger", "--no-keys", "--host", "192.0.2.1"], "127.0.0.1"),
    ],
)
def test_what_is_missing_is_said_before_anything_starts(tmp_path, options, says):
    run = CliRunner().invoke(app, ["serve", "--keys", str(tmp_path / "none.json"), *options])
    assert isinstance(run.exception, InvalidInputError)
    assert says in str(run.exception)


def test_a_ledger_that_is_not_there_is_not_made(tmp_path):
    keys = KeyFile(tmp_path / "k.json")
    keys.add("a", datasets=("d",))
    run = CliRunner().invoke(app, ["serve", "--keys", str(keys.path), "--ledger", str(tmp_path / "none.db")])
    assert run.exit_code != 0
    assert not (tmp_path / "none.db").exists()
