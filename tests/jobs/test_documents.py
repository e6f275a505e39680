"""Runs over sentences and documents: answered by public ones, stopped and gone on with, priced by sentence."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import textveil as tv
from textveil.errors import InvalidInputError
from textveil.jobs import RunInterrupted, Spending, plan, verify
from textveil.jobs.receipt import receipt_path
from textveil.jobs.work import work_of
from textveil.ledger import Ledger

DIMENSION, ROWS = 12, 80
OPTIONS = {"batch_bytes": 400, "checkpoint_seconds": 0.0, "threads": 1}


@pytest.fixture(scope="module")
def encoder(clustered):
    """As a network is: slow, for all that anyone knows."""
    words = tv.AveragedWords(clustered)
    return tv.FunctionEncoder(words.encode, dimension=DIMENSION, name="words", at_once=64)


@pytest.fixture(scope="module")
def candidates(clustered):
    return tv.Candidates(clustered.points, [f"about w{i}" for i in range(len(clustered))])


@pytest.fixture(scope="module")
def embedders(encoder, candidates):
    response = tv.PublicResponse(candidates, epsilon=60.0, nearest=1)
    mechanisms = {
        "sentence": tv.SentenceResponses(response),
        "deep": tv.DeepCandidate(candidates, epsilon=10.0),
        "truncated": tv.TruncatedMean(lower=np.full(DIMENSION, -9.0), upper=np.full(DIMENSION, 9.0), epsilon=3.0),
        "gaussian": tv.GaussianMean(epsilon=1.0, delta=1e-6, dimension=DIMENSION),
        "privunit": tv.AveragedPrivUnit(epsilon=4.0, dimension=DIMENSION),
    }
    documents = {name: tv.DocumentEmbedder(each, encoder=encoder) for name, each in mechanisms.items()}
    return documents | {
        "text": tv.TextEmbedder(response, encoder=encoder),
        "document": tv.TextEmbedder(response, encoder=tv.SentenceMeans(encoder)),
    }


NAMES = ("text", "document", "sentence", "deep", "truncated", "gaussian", "privunit")


def table_in(path):
    return pq.read_table(path) if path.suffix == ".parquet" else feather.read_table(path)


@pytest.fixture
def texts(tmp_path):
    lines = [json.dumps({"id": row, "t": f"w{row}. w{row}! xcanaryx"}) for row in range(ROWS)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path / "in.jsonl"


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_release_repeats_under_its_key_and_is_the_library_s(tmp_path, texts, embedders, name):
    embedder, tables = embedders[name], []
    for number, batch_bytes in enumerate((300, 1 << 20)):
        target = tmp_path / f"out{number}.parquet"
        options = {"column": "t", "key_file": tmp_path / "key", "batch_bytes": batch_bytes}
        receipt = plan(texts, target, embedder, **options).run()
        assert receipt.rows == receipt.items == ROWS
        assert verify(target).ok
        assert b"canary" not in target.read_bytes() + receipt_path(target).read_bytes()
        tables.append(pq.read_table(target))
    assert tables[0].equals(tables[1])
    source = tv.RandomSource.keyed((tmp_path / "key").read_bytes())
    expected = embedder.release([json.loads(line)["t"] for line in texts.read_text().splitlines()], source=source)
    vectors = [getattr(each, "vector", each) for each in expected]
    assert np.array_equal(tables[0]["embedding"].to_pylist(), np.array(vectors, dtype=np.float32))
    if name in ("truncated", "gaussian", "privunit"):
        assert tables[0].column_names == ["id", "embedding"]
        return
    assert tables[0].column_names == ["id", "embedding", "public_index", "public_text"]
    index, text = (tables[0][column].to_pylist() for column in ("public_index", "public_text"))
    assert index == [list(each[0]) if name == "sentence" else each[0] for each in expected]
    assert text == [list(each[2]) if name == "sentence" else each[2] for each in expected]


def test_answers_are_near_the_texts(tmp_path, texts, embedders):
    plan(texts, tmp_path / "out.arrow", embedders["sentence"], column="t").run()
    found = feather.read_table(tmp_path / "out.arrow")
    assert found["public_index"].to_pylist() == [[row, row, 0] for row in range(ROWS)]
    assert found["public_text"][7].as_py() == ["about w7", "about w7", "about w0"]


class Stopping:
    """Stops a run in its middle, once, and counts."""

    def __init__(self, work, after=0):
        self._work, self._left, self.calls = work, after, 0

    def __getattr__(self, name):
        return getattr(self._work, name)

    def run(self, items, source):
        self.calls += 1
        if self.calls == self._left:
            raise KeyboardInterrupt
        return self._work.run(items, source)


@pytest.mark.parametrize("target", ["out.npy", "out.parquet", "out.arrow"])
@pytest.mark.parametrize("name", ["text", "deep"])
def test_a_stopped_run_does_nothing_twice(tmp_path, texts, embedders, name, target):
    work = work_of(embedders[name])
    key = {"key_file": tmp_path / "key", "column": "t"}
    whole = Stopping(work)
    plan(texts, tmp_path / ("whole-" + target), whole, **key, **OPTIONS).run()
    with pytest.raises(RunInterrupted):
        plan(texts, tmp_path / target, Stopping(work, 6), **key, **OPTIONS).run()
    assert not (tmp_path / target).exists()
    rest = Stopping(work)
    plan(texts, tmp_path / target, rest, **key, **OPTIONS).run()
    assert rest.calls == whole.calls - 5
    assert (tmp_path / target).read_bytes() == (tmp_path / ("whole-" + target)).read_bytes()
    assert verify(tmp_path / target).ok
    assert not (tmp_path / (target + ".partial")).exists()


def test_a_run_that_stops_in_its_last_step_does_not_begin_again(tmp_path, texts, embedders, monkeypatch):
    from textveil.jobs.journal import Journal

    def stop(self, file):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "finished", stop)
        with pytest.raises(RunInterrupted):
            plan(texts, tmp_path / "out.parquet", embedders["deep"], column="t", **OPTIONS).run()
    rest = Stopping(work_of(embedders["deep"]))
    assert plan(texts, tmp_path / "out.parquet", rest, column="t", **OPTIONS).run().rows == ROWS
    assert rest.calls == 0
    assert verify(tmp_path / "out.parquet").ok


def test_a_slow_encoder_is_given_little_at_once(tmp_path, texts, clustered, candidates, embedders):
    assert plan(texts, tmp_path / "o.npy", embedders["deep"], column="t").batch_bytes == 16 << 10
    fast = tv.TextEmbedder(tv.PublicResponse(candidates, epsilon=8.0), encoder=tv.AveragedWords(clustered))
    assert plan(texts, tmp_path / "o.npy", fast, column="t").batch_bytes > 1 << 20


def test_lists_texts_and_nulls(tmp_path, embedders):
    lines = ['{"d": ["w1. w2.", "w3"], "k": 1}', '{"d": null, "k": 2}', '{"d": "w5. w6", "k": 3}', '{"d": [], "k": 4}']
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    receipt = plan(tmp_path / "in.jsonl", tmp_path / "out.parquet", embedders["sentence"], column="d").run()
    assert (receipt.rows, receipt.items) == (4, 3)
    found = pq.read_table(tmp_path / "out.parquet")
    indices = found["public_index"].to_pylist()
    assert [None if each is None else len(each) for each in indices] == [2, None, 2, 1]
    assert indices[2:] == [[5, 6], [0]]
    assert found["k"].to_pylist() == [1, 2, 3, 4]
    assert found["embedding"].null_count == 1
    assert verify(tmp_path / "out.parquet").ok
    pq.write_table(pa.table({"d": [["w1", "w2"], None, []]}), tmp_path / "in.parquet")
    plan(tmp_path / "in.parquet", tmp_path / "out2.parquet", embedders["document"]).run()
    assert pq.read_table(tmp_path / "out2.parquet")["public_index"].to_pylist()[1:] == [None, 0]
    with pytest.raises(InvalidInputError, match="list<"):
        plan(tmp_path / "in.parquet", tmp_path / "out3.parquet", embedders["text"])


def test_a_preview_says_what_a_document_costs_in_words(tmp_path, texts, embedders, monkeypatch):
    monkeypatch.setattr(tv.RandomSource, "streams", None)
    preview = plan(texts, tmp_path / "out.parquet", embedders["deep"], column="t").preview()
    assert (preview.words, preview.most_words, preview.loss, preview.most_loss) == (3.0, 3.0, 30.0, 30.0)
    shown = str(preview)
    assert "3.0 sentences a record on average" in shown
    assert "10 nats for each sentence of a record that is exchanged; for all of them" in shown
    assert "30 nats for one of average length, 30 for the longest sampled" in shown
    assert "between any two records" not in shown
    shown = str(plan(texts, tmp_path / "out.parquet", embedders["gaussian"], column="t").preview())
    assert "delta, which is for one," in shown
    shown = str(plan(texts, tmp_path / "out.parquet", embedders["document"], column="t").preview())
    assert "60 nats at most, between any two records" in shown
    assert "sentences a record" not in shown


def test_the_price_of_the_longest_document_is_told_among_what_is_revealed(tmp_path, texts, embedders):
    url = str(tmp_path / "budget.db")
    Ledger(url).create("x", unit="record", epsilon=1000)
    told = "how many sentences the longest record has, by its price"
    for max_words, is_told in ((None, True), (9, False)):
        paid = Spending(ledger=url, dataset="x", max_words=max_words)
        job = plan(texts, tmp_path / f"out{max_words}.parquet", embedders["deep"], column="t", spending=paid)
        assert (told in job.preview().guarantee.reveals) == is_told
        assert (told in job.run().guarantee.reveals) == is_told


def test_npy_and_other_columns(tmp_path, texts, embedders):
    job = plan(texts, tmp_path / "out.npy", embedders["deep"], column="t")
    assert job.left_out() == ("id", "public_index", "public_text")
    job.run()
    assert np.load(tmp_path / "out.npy").shape == (ROWS, DIMENSION)
    (tmp_path / "other.jsonl").write_text('{"t": "w1", "public_text": "mine"}\n')
    with pytest.raises(InvalidInputError, match=r"another column 'public_text'.*--vectors-only"):
        plan(tmp_path / "other.jsonl", tmp_path / "o.parquet", embedders["deep"], column="t")


def test_vectors_are_answered_too(tmp_path, candidates):
    np.save(tmp_path / "in.npy", candidates.vectors[:30])
    response = tv.PublicResponse(tv.Candidates(candidates.vectors), epsilon=60.0, nearest=1)
    plan(tmp_path / "in.npy", tmp_path / "out.parquet", response).run()
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.column_names == ["embedding", "public_index"]
    assert found["public_index"].to_pylist() == list(range(30))


def test_a_document_that_is_too_long_is_told_by_its_record(tmp_path, embedders):
    lines = ["w1.", "w2. " * 70_000, "w3."]
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n")
    with pytest.raises(InvalidInputError, match="record 2 of the input: a document must have from 0 to 65,535") as told:
        plan(tmp_path / "in.txt", tmp_path / "out.parquet", embedders["deep"]).run()
    assert "70" not in str(told.value)
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]
