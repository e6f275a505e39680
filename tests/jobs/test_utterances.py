"""Files of utterances: each record is rewritten at once, whatever the batches."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import textveil as tv
from textveil.jobs import RunInterrupted, plan, verify
from textveil.learn.autoencoder.requests import requests

SAID = [*(each.text for each in requests(120, seed=2)), "", "Ünknown 日本 words!", "play " * 300]


@pytest.fixture(scope="module")
def adept():
    return tv.Adept(tv.AutoEncoder.default(), epsilon=6.0)


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "said.txt"
    path.write_text("\n".join(SAID) + "\n")
    return path


def test_lines_are_rewritten_with_a_receipt(lines, adept):
    target = lines.with_name("out.txt")
    receipt = plan(lines, target, adept).run()
    written = target.read_text().split("\n")
    assert len(written) == len(SAID) + 1
    words = set(adept.codec.table.words)
    assert all(set(line.split()) <= words for line in written)
    assert written != SAID
    assert receipt.rows == len(SAID)
    assert receipt.guarantee.unit is tv.Unit.UTTERANCE
    assert receipt.guarantee.epsilon == 6.0
    assert verify(target).ok


def test_quotes_around_an_utterance_do_not_tell_of_its_commas(tmp_path, adept):
    written = []
    for said in ('"call maria, at six"', "call maria at six"):
        (tmp_path / "said.csv").write_text("said,n\n" + f"{said},1\n" * 40)
        plan(tmp_path / "said.csv", tmp_path / "out.csv", adept, column="said", overwrite=True).run()
        written.append((tmp_path / "out.csv").read_text())
    assert '"' not in "".join(written)


def test_the_same_key_gives_the_same_whatever_the_batches(lines, adept):
    key = lines.with_name("key")
    key.write_bytes(b"k" * 32)
    key.chmod(0o600)
    written = []
    for size in (200, 1 << 20):
        target = lines.with_name(f"out-{size}.txt")
        plan(lines, target, adept, key_file=key, batch_bytes=size, threads=1).run()
        written.append(target.read_text())
    assert written[0] == written[1]
    assert written[0].splitlines() == adept.release(SAID, source=tv.RandomSource.keyed(b"k" * 32))


@pytest.mark.parametrize("name", ["in.txt", "in.csv", "in.jsonl", "in.parquet"])
def test_a_stopped_run_goes_on_and_gives_the_same_bytes(tmp_path, adept, monkeypatch, name):
    source, column = tmp_path / name, None if name == "in.txt" else "said"
    if name == "in.parquet":
        pq.write_table(pa.table({"said": SAID}), source, row_group_size=10)
    elif name == "in.jsonl":
        source.write_text("".join(json.dumps({"said": text}) + "\n" for text in SAID))
    else:
        source.write_text("\n".join(["said", *SAID]) + "\n")
    options = {"key_file": tmp_path / "key", "column": column, "batch_bytes": 400, "threads": 1}
    whole, target = tmp_path / f"whole-{name}", tmp_path / name.replace("in", "out")
    records = plan(source, whole, adept, **options).run().rows
    sample, calls = tv.Adept._sample, []

    def stopping(self, items, streams):
        calls.append(len(items))
        if len(calls) == 5:
            raise KeyboardInterrupt
        return sample(self, items, streams)

    monkeypatch.setattr(tv.Adept, "_sample", stopping)
    with pytest.raises(RunInterrupted):
        plan(source, target, adept, **options, checkpoint_seconds=0.0).run()
    assert not target.exists()
    # Other batches must not change the noise, nor lose or double a record.
    assert plan(source, target, adept, **{**options, "batch_bytes": 700}).run().rows == records
    assert target.read_bytes() == whole.read_bytes()
    # Parquet is redone from its start, with the noise that it had; of other files nothing is done twice.
    assert sum(calls) - calls[4] == records + (sum(calls[:4]) if name == "in.parquet" else 0)


def test_columns_of_tables_are_rewritten_and_the_others_stay(tmp_path, adept):
    rows = [{"id": place, "said": text} for place, text in enumerate(SAID[:20])]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "in.csv").write_text("id,said\n" + "".join(f"{row['id']},{row['said']}\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "in.parquet")
    for name in ("in.jsonl", "in.csv", "in.parquet"):
        target = tmp_path / name.replace("in", "out")
        plan(tmp_path / name, target, adept, column="said").run()
        assert verify(target).ok
    table = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["id"] for row in table] == list(range(20))
    assert [row["said"] for row in table] != SAID[:20]
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 20
    assert (tmp_path / "out.csv").read_text().startswith("id,said\n0,")


def test_the_preview_says_what_a_record_costs(lines, adept):
    told = str(plan(lines, lines.with_name("out.txt"), adept).preview())
    assert "Loss     6 nats at most, between any two records" in told
    assert "Proved: for two utterances" in told
    assert "Length" not in told
