"""textveil embed for sentences and documents: real files, in one process, since a dozen take their time."""

from __future__ import annotations

import json
import sys
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import textveil as tv
from textveil.cli import main
from textveil.encoders.recoder import Recoded, Recoder

WORDS = ["unk", "doctor", "nurse", "moved", "boston", "stocks", "fell", "rose", "today", "slowly"]


class Done(NamedTuple):
    stdout: str
    stderr: str


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """Run a command in the folder and return what it printed."""
    monkeypatch.chdir(folder)

    def done(*arguments, status=0):
        monkeypatch.setattr(sys, "argv", ["textveil", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = Done(*capsys.readouterr())
        assert (ended.value.code or 0) == status, shown
        return shown

    return done


@pytest.fixture
def folder(tmp_path):
    vectors = np.random.default_rng(0).normal(size=(len(WORDS), 6)).round(3)
    rows = [f"{word} {' '.join(map(str, vector))}" for word, vector in zip(WORDS, vectors, strict=True)]
    (tmp_path / "own.txt").write_text("\n".join(rows) + "\n")
    (tmp_path / "notes.csv").write_text('id,text\n007,"The doctor moved. Slowly."\n008,"Stocks fell today"\n009,\n')
    (tmp_path / "public.txt").write_text("The nurse moved to Boston\nStocks fell\nA doctor. A nurse.\nStocks rose\n")
    pq.write_table(pa.table({"s": [["doctor moved", "slowly"], ["stocks fell"]]}), tmp_path / "lists.parquet")
    np.save(tmp_path / "v.npy", vectors)
    near = vectors[:4] + 0.001
    np.save(tmp_path / "public.npy", near)
    tv.Candidates(near, ["a", "b", "c", "d"]).save(tmp_path / "public.npz")
    return tmp_path


TEXTS = ("notes.csv", "-c", "text", "--vocabulary", "own.txt")


@pytest.mark.parametrize(
    ("options", "name", "unit"),
    [
        (["-m", "public-response", "--candidates", "public.txt"], "PublicResponse", "text"),
        (["-m", "public-response", "--candidates", "public.txt", "--nearest", "2"], "PublicResponse", "text"),
        (["-m", "public-response", "--candidates", "public.txt", "--per", "document"], "PublicResponse", "text"),
        (["-m", "public-response", "--candidates", "public.txt", "--per", "sentence"], "SentenceResponses", "sentence"),
        (["-m", "deepcandidate", "--candidates", "public.txt", "--projections", "9"], "DeepCandidate", "sentence"),
        (
            ["-m", "deepcandidate", "--candidates", "public.txt", "--utility", "inner-product"],
            "DeepCandidate",
            "sentence",
        ),
        (["-m", "truncated-mean", "--candidates", "public.txt"], "TruncatedMean", "sentence"),
        (["-m", "gaussian-mean", "--delta", "1e-6"], "GaussianMean", "sentence"),
        (["-m", "averaged-privunit", "--clip", "2"], "AveragedPrivUnit", "sentence"),
    ],
)
def test_every_mechanism_of_documents(folder, run, options, name, unit):
    shown = run("embed", *TEXTS, "-o", "out.parquet", "-e", "8", *options).stdout
    assert "any output is at most e^8 times as likely" in shown
    table = pq.read_table(folder / "out.parquet")
    assert table["id"].to_pylist() == ["007", "008", "009"]
    receipt = json.loads((folder / "out.parquet.receipt.json").read_text())
    inner = receipt["mechanism"].get("vectors") or receipt["mechanism"].get("documents")
    assert (inner["mechanism"], receipt["guarantee"]["unit"]) == (name, unit)
    chooses = "candidates" in " ".join(options) and name != "TruncatedMean"
    assert ("public_text" in table.column_names) == chooses
    if chooses:
        public = (folder / "public.txt").read_text().splitlines()
        texts = table["public_text"].to_pylist()
        assert {text for each in texts for text in (each if isinstance(each, list) else [each])} <= set(public)
    assert "WRONG" not in run("verify", "out.parquet").stdout


def test_a_recoder_moves_sentences_and_candidates_alike(folder, run):
    encoder = tv.AveragedWords(tv.Vocabulary.load(folder / "own.txt"))
    Recoder([np.eye(6)[:, :3]], [np.zeros(3)], encoder.digest).save(folder / "recoder.npz")
    options = ("-m", "deepcandidate", "--candidates", "public.txt", "--recoder", "recoder.npz", "-e", "8")
    run("embed", *TEXTS, *options, "-o", "out.parquet")
    found = pq.read_table(folder / "out.parquet")
    recoded = Recoded(encoder, Recoder.load(folder / "recoder.npz"))
    expected = tv.SentenceMeans(recoded).encode(found["public_text"].to_pylist())
    assert np.allclose(found["embedding"].to_pylist(), expected, atol=1e-5)


def test_lists_of_sentences_and_vectors(folder, run):
    run("embed", "lists.parquet", "--vocabulary", "own.txt", "-o", "o.parquet", "-e", "8", "-m", "averaged-privunit")
    assert pq.read_table(folder / "o.parquet").num_rows == 2
    answered = ("v.npy", "-e", "60", "-m", "public-response", "--nearest", "1")
    run("embed", *answered, "-o", "a.parquet", "--candidates", "public.npz")
    assert pq.read_table(folder / "a.parquet")["public_text"].to_pylist()[:4] == ["a", "b", "c", "d"]
    run("embed", *answered, "-o", "b.parquet", "--candidates", "public.npy")
    assert pq.read_table(folder / "b.parquet").column_names == ["embedding", "public_index"]


def test_a_preview_says_what_sentences_cost_and_how_answers_are_drawn(folder, run):
    public = ("--candidates", "public.txt", "--preview", "-o", "o.parquet", "-e", "2")
    shown = run("embed", *TEXTS, *public, "-m", "public-response", "--nearest", "1").stdout
    assert "one of the 1 nearest of 4 public candidates in 71.1% of all cases" in shown
    shown = run("embed", *TEXTS, *public, "-m", "public-response", "--per", "sentence").stdout
    assert "1.3 sentences a record on average, 2 in the longest" in shown
    assert "2 nats for each sentence of a record that is exchanged; for all of them" in shown
    assert "2.667 nats for one of average length, 4 for the longest sampled" in shown
    assert "nearest of 4 public candidates" in shown
    assert not (folder / "o.parquet").exists()


def test_a_sentence_encoder_answers_by_public_sentences_unless_told_otherwise(folder, run):
    options = ("notes.csv", "-c", "text", "--encoder", "minilm-int8", "--candidates", "public.txt", "-e", "40")
    run("embed", *options, "-o", "out.parquet", "--nearest", "1")
    found = pq.read_table(folder / "out.parquet")
    assert found["public_text"].to_pylist()[:2] == ["A doctor. A nurse.", "Stocks fell"]
    assert np.allclose(np.linalg.norm(found["embedding"].to_pylist(), axis=1), 1, atol=1e-4)
    told = run("embed", *options, "--vocabulary", "own.txt", "-o", "o.parquet", status=2).stderr
    assert "--vocabulary would do nothing, since the encoder is minilm-int8" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*TEXTS, "-e", "0", "-m", "public-response", "--candidates", "public.txt"], "epsilon must be"),
        ([*TEXTS, "-e", "1", "--candidates", "public.txt"], "--candidates is not for laplace"),
        ([*TEXTS, "-e", "1", "--candidates-column", "a"], "--candidates-column is not for laplace"),
        ([*TEXTS, "-e", "1", "-m", "public-response", "--candidates", "none.txt"], "there is no file 'none.txt'"),
        (
            [*TEXTS, "-e", "1", "-m", "public-response", "--candidates", "public.txt", "--per", "word"],
            "--per must be one",
        ),
        (
            [*TEXTS, "-e", "1", "-m", "public-response", "--candidates", "public.txt", "--nearest", "4"],
            "--nearest must be",
        ),
        (
            [*TEXTS, "-e", "1", "-m", "public-response", "--projections", "4"],
            "--projections is not for public-response",
        ),
        ([*TEXTS, "-e", "1", "-m", "deepcandidate", "--per", "text"], "--per is not for deepcandidate"),
        ([*TEXTS, "-e", "1", "-m", "deepcandidate", "--candidates", "public.npy", "--projections", "0"], "projections"),
        ([*TEXTS, "-e", "1", "-m", "deepcandidate", "--candidates", "notes.csv"], "column"),
        ([*TEXTS, "-e", "1", "-m", "deepcandidate", "--recoder", "none.npz"], "there is no file 'none.npz'"),
        ([*TEXTS, "-e", "1", "-m", "gaussian-mean"], "gaussian-mean needs --delta"),
        (["v.npy", "-e", "1", "-m", "deepcandidate"], "deepcandidate takes texts or lists of sentences"),
        (["v.npy", "-e", "1", "-m", "public-response"], "give the public ones to choose from with --candidates"),
        (["v.npy", "-e", "1", "-m", "public-response", "--per", "text"], "--per would do nothing"),
        (["lists.parquet", "-e", "1", "--vocabulary", "own.txt"], "not string"),
    ],
)
def test_bad_input_is_one_clear_line_and_status_2(folder, run, arguments, message):
    done = run("embed", *arguments, "-o", "out.parquet", status=2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "out.parquet").exists()
