from __future__ import annotations

import asyncio
import io
import json
import struct
import time
from fractions import Fraction

import pyarrow as pa
import pytest
from tests.service.asking import ask
from tests.service.serving import PRIVATE

from textveil.ledger import Ledger
from textveil.receipts import digest_of
from textveil.service import streaming
from textveil.service.app import build
from textveil.service.counting import Counted
from textveil.service.errors import Refusal
from textveil.service.limits import Limits
from textveil.service.service import Service

NDJSON = {"Content-Type": "application/x-ndjson"}
ARROW = {"Content-Type": "application/vnd.apache.arrow.stream"}


def entries(place):
    return Ledger(place.ledger).history("tickets")


def lines_of(*values):
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def parameters(**more):
    return {"mechanism": "words", "dataset": "tickets", "records": 4, "pieces": 3, **more}


def post(client, content, kind="texts", headers=NDJSON, **more):
    return client.post(f"/v1/stream/{kind}", params=parameters(**more), content=content, headers=headers)


def test_lines_are_released_and_the_whole_declared_maximum_is_paid(client, place):
    answer = post(client, lines_of("w1 w2", "w3"))
    *released, last = map(json.loads, answer.text.splitlines())
    assert [len(each["released"].split()) for each in released] == [2, 1]
    (entry,) = entries(place)
    assert (entry.state, entry.cost.epsilon) == ("committed", 3)
    assert last["receipt"]["ledger"]["entry"] == entry.id
    assert last["receipt"]["items"] == 2
    assert entry.receipt == digest_of(last["receipt"])


def test_a_stream_ends_where_its_declared_maximum_ends(client, place):
    def slowly():
        yield lines_of("w1", "w2", "w3")
        yield lines_of("w4", "w5")
        yield lines_of("w6")

    *released, last = map(json.loads, post(client, slowly()).text.splitlines())
    assert len(released) == 4
    assert all("released" in each for each in released)
    assert last["problem"]["code"] == "over-budget"
    assert "declare as many records" in last["problem"]["remedy"]
    assert [entry.state for entry in entries(place)] == ["committed"]


def test_a_line_that_is_no_json_is_named(client, place):
    answer = post(client, b"plain words\n")
    assert (answer.status_code, answer.json()["detail"]) == (400, "line 1 is not JSON")
    assert post(client, b"7\n").json()["detail"] == "record 0, from 0, must be a string"
    assert [entry.state for entry in entries(place)] == ["cancelled", "cancelled"]


def test_a_record_that_is_longer_than_declared_is_not_released(client, place):
    answer = post(client, lines_of("w1 w2 w3 w4"))
    assert (answer.status_code, answer.json()["code"]) == (409, "over-budget")
    assert [entry.state for entry in entries(place)] == ["cancelled"]


def test_words_vectors_and_documents_have_their_own_records(client, place):
    assert post(client, lines_of("w1", "w2"), kind="words").text.count("released") == 2
    assert entries(place)[0].cost.epsilon == 4
    assert post(client, lines_of([1, 0, 0]), kind="vectors", mechanism="vectors").text.count("released") == 1
    wrong = post(client, lines_of([1, 0, PRIVATE]), kind="vectors", mechanism="vectors")
    assert (wrong.status_code, wrong.json()["code"]) == (422, "invalid-input")
    assert PRIVATE not in wrong.text


@pytest.mark.parametrize("content", [b"", b"\n\n", b"{", b'"\\ud800"', b"\xff\n", b"[1]\n"])
def test_a_stream_without_good_records_is_refused_and_its_reservation_cancelled(client, place, content):
    answer = post(client, content)
    assert answer.status_code in (400, 422)
    assert [(entry.state, entry.cost.epsilon) for entry in entries(place)] == [("cancelled", Fraction(3))]


def test_a_bad_line_in_the_middle_ends_the_stream_with_a_problem(client, place):
    def slowly():
        yield lines_of("w1")
        yield f'{{"{PRIVATE}\n'.encode()
        yield lines_of("w2")

    answer = post(client, slowly())
    if answer.status_code == 200:
        assert [next(iter(json.loads(line))) for line in answer.text.splitlines()] == ["released", "problem"]
    assert PRIVATE not in answer.text


def test_arrow_in_arrow_out_with_the_promise_in_the_schema(client, place):
    table = pa.table({"text": ["w1 w2", "w3", "w4"]})
    answer = post(client, arrow(table), headers=ARROW)
    assert answer.status_code == 200
    back = pa.ipc.open_stream(answer.content).read_all()
    assert [len(text.split()) for text in back.column("released").to_pylist()] == [2, 1, 1]
    receipt = json.loads(back.schema.metadata[b"textveil.receipt"])
    (entry,) = entries(place)
    assert (receipt["ledger"]["entry"], entry.state) == (entry.id, "committed")


def test_the_last_batch_of_arrow_has_the_receipt_that_the_ledger_knows(client, place):
    answer = post(client, arrow(pa.table({"text": ["w1 w2", "w3", "w4"]}), rows=1), headers=ARROW)
    reader = pa.ipc.open_stream(answer.content)
    batches = [reader.read_next_batch_with_custom_metadata() for _ in range(2)]
    assert [each.batch.num_rows for each in batches] == [3, 0]
    receipt = json.loads(batches[-1].custom_metadata[b"textveil.receipt"])
    (entry,) = entries(place)
    assert (receipt["items"], entry.receipt) == (3, digest_of(receipt))


@pytest.mark.parametrize("rows", [37, 6000])
def test_the_batches_of_an_arrow_answer_do_not_tell_those_of_the_request(client, rows):
    texts = pa.table({"text": ["w1 w2 w3"] * 6000})
    answer = post(client, arrow(texts, rows=rows), headers=ARROW, dataset="words", records=6000)
    reader = pa.ipc.open_stream(answer.content)
    first, *others, last, empty = [batch.column(0).to_pylist() for batch in reader]
    assert json.loads(reader.schema.metadata[b"textveil.receipt"])["items"] == len(first)
    for group in (first, *others):
        assert size(group[:-1]) < 64 << 10 <= size(group)
    assert size(last) < 64 << 10
    assert empty == []


def size(texts):
    return sum(8 + len(text) for text in texts)


def test_compressed_arrow_is_refused_before_it_is_unpacked(client, place):
    table = pa.table({"text": ["w1 w2"] * 4})
    for codec in ("zstd", "lz4"):
        answer = post(client, arrow(table, compression=codec), headers=ARROW)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid-input")
        assert "compressed" in answer.json()["detail"]
    assert {entry.state for entry in entries(place)} == {"cancelled"}


def test_arrow_beyond_the_declared_maximum_is_cut_off_after_what_was_paid_for(service, place):
    body = arrow(pa.table({"text": ["w1"] * 9}), rows=3)
    path = "/v1/stream/texts?mechanism=words&dataset=tickets&records=4&pieces=3"
    answer = asyncio.run(ask(build(service), "POST", path, body, {**place.key, **ARROW}))
    assert (answer.status, answer.is_whole) == (200, False)
    with pa.ipc.open_stream(answer.body) as reader:
        assert reader.read_next_batch().num_rows == 4
    assert [entry.state for entry in entries(place)] == ["committed"]


def test_if_the_ledger_fails_before_the_first_record_nothing_is_released(client, place, monkeypatch):
    from textveil.ledger import LedgerError, Reservation

    def fail(self):
        raise LedgerError("gone")

    monkeypatch.setattr(Reservation, "touch", fail)
    answer = post(client, lines_of("w1"))
    assert (answer.status_code, answer.json()["code"]) == (503, "ledger-unavailable")
    assert [entry.state for entry in entries(place)] == ["cancelled"]


def test_vectors_as_arrow(client):
    table = pa.table({"v": pa.array([[1.0, 0, 0], [0, 1, 0]], type=pa.list_(pa.float32(), 3))})
    for mechanism in ("vectors", "answers"):
        answer = post(client, arrow(table), kind="vectors", mechanism=mechanism, headers=ARROW)
        assert pa.ipc.open_stream(answer.content).read_all().num_rows == 2


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"text": [1, 2]}),
        pa.table({"a": ["w1"], "b": ["w1"]}),
        pa.table({"text": ["w1", None]}),
        pa.table({"text": pa.array(["w1"]).dictionary_encode()}),
        pa.table({"text": pa.array([], type=pa.string())}),
    ],
    ids=["numbers", "two-columns", "missing", "dictionary", "empty"],
)
def test_arrow_of_another_kind_is_refused(client, place, table):
    answer = post(client, arrow(table), headers=ARROW)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-input")
    assert all(entry.state == "cancelled" for entry in entries(place))


def test_arrow_whose_offsets_point_outside_is_refused(client, place):
    good = arrow(pa.table({"text": ["w1 w2", "w3 and more text"]}))
    refused = 0
    for place_of_fault in range(0, len(good), 7):
        bad = bytearray(good)
        bad[place_of_fault] ^= 0x55
        answer = post(client, bytes(bad), headers=ARROW, records=4, pieces=60)
        assert answer.status_code in (200, 400, 409, 413, 422)
        refused += answer.status_code != 200
    assert refused > 3


def test_arrow_that_claims_more_than_a_body_may_have_is_refused_before_there_is_room_for_it(client, place):
    good = arrow(pa.table({"text": ["w1"]}))
    messages = pa.ipc.MessageReader.open_stream(good)
    messages.read_next_message()
    length = struct.pack("<q", messages.read_next_message().body.size)
    for claimed in (2**26 + 8, 2**33, 2**40, 2**62):
        bad = good.replace(length, struct.pack("<q", claimed))
        assert bad != good
        answer = post(client, bad, headers=ARROW)
        assert (answer.status_code, answer.json()["code"]) in ((413, "too-large"), (400, "malformed-body"))
    assert {entry.state for entry in entries(place)} == {"cancelled"}


def test_a_key_has_two_streams_at_a_time_and_leaves_room_for_others():
    places = streaming.Places()
    leave = [places.take("a"), places.take("a")]
    with pytest.raises(Refusal, match="busy"):
        places.take("a")
    others = [places.take(None) for _ in range(6)]
    with pytest.raises(Refusal, match="busy"):
        places.take("b")
    others[0]()
    places.take("b")
    leave[0]()
    places.take("a")


def test_the_place_of_a_stream_is_free_when_it_ends_or_is_refused(client):
    for _ in range(4):
        assert post(client, lines_of("w1")).status_code == 200
        assert post(client, lines_of("w1 w2 w3 w4")).status_code == 409
        assert post(client, lines_of("w1"), dataset="small", pieces=100).status_code == 409


def test_blank_lines_keep_no_place(service, place, monkeypatch):
    monkeypatch.setattr(streaming, "_PATIENCE_SECONDS", 0.3)
    path = "/v1/stream/texts?mechanism=words&dataset=tickets&records=4&pieces=3"
    began = time.monotonic()
    answer = asyncio.run(ask(build(service), "POST", path, b"\n" * 100, {**place.key, **NDJSON}, delay=0.1, pieces=100))
    assert (answer.status, json.loads(answer.body)["detail"]) == (400, "The body did not come in time.")
    assert time.monotonic() - began < 5
    assert [entry.state for entry in entries(place)] == ["cancelled"]


def test_a_stream_is_not_waited_for_without_end(service, place, monkeypatch):
    monkeypatch.setattr(streaming, "_MOST_SECONDS", 0.5)
    path = "/v1/stream/texts?mechanism=words&dataset=tickets&records=100&pieces=3"
    body = lines_of(*["w1"] * 50)
    answer = asyncio.run(ask(build(service), "POST", path, body, {**place.key, **NDJSON}, delay=0.1, pieces=50))
    assert (answer.status, answer.is_whole) == (200, False)
    assert 1 <= answer.body.count(b"released") < 10


def test_a_caller_that_does_not_read_gets_no_more_than_memory_may_hold(place, catalogue, keys, monkeypatch):
    monkeypatch.setattr(streaming, "_PATIENCE_SECONDS", 0.3)
    spending = Counted(place.ledger)
    service = Service(catalogue, spending, keys, rate=1e6, burst=1e6, limits=Limits(stream_bytes=600))
    path = "/v1/stream/texts?mechanism=words&dataset=tickets&records=100&pieces=3"
    asked = {"content": lines_of(*["w1"] * 100), "headers": {**place.key, **NDJSON}, "pieces": 50, "delay": 0.005}
    answer = asyncio.run(ask(build(service), "POST", path, **asked, pause=1.0))
    assert not answer.is_whole
    assert answer.body.count(b"released") < 60
    assert asyncio.run(ask(build(service), "POST", path, **asked)).body.count(b'"released"') == 100
    spending.close()


@pytest.mark.parametrize("unread", ["pause", "last"])
@pytest.mark.parametrize("most", [600, 10**6])
def test_a_caller_that_never_reads_leaves_its_place(place, catalogue, keys, monkeypatch, most, unread):
    monkeypatch.setattr(streaming, "_PATIENCE_SECONDS", 0.3)
    spending = Counted(place.ledger)
    service = Service(catalogue, spending, keys, rate=1e6, burst=1e6, limits=Limits(stream_bytes=most))
    app = build(service)
    path = "/v1/stream/texts?mechanism=words&dataset=tickets&records=100&pieces=3"
    asked = {"content": lines_of(*["w1"] * 100), "headers": {**place.key, **NDJSON}, "pieces": 50}

    async def all_of_them():
        async with asyncio.timeout(10):
            return await asyncio.gather(*(ask(app, "POST", path, **asked, **{unread: 1000.0}) for _ in range(2)))

    assert not any(answer.is_whole for answer in asyncio.run(all_of_them()))
    assert asyncio.run(ask(app, "POST", path, **asked)).is_whole
    spending.close()


def test_other_types_and_too_much_are_refused(client):
    assert post(client, b"x", headers={"Content-Type": "text/csv"}).status_code == 415
    assert post(client, lines_of("w1"), records=10**6).status_code == 413
    assert post(client, lines_of("w1"), records=0).status_code == 422
    assert post(client, b'"' + b"x" * 2**20 + b'"').status_code == 413
    assert post(client, lines_of("w1"), dataset="small", pieces=100).json()["code"] == "over-budget"


def arrow(table, *, rows=None, compression=None):
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)
    return sink.getvalue()
