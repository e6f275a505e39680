"""textveil embed as a user meets it: real processes, real files."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.commands import run


@pytest.fixture
def folder(tmp_path):
    lines = [f"{word} {i}.5 {i % 3} 1" for i, word in enumerate(["unk", "doctor", "nurse", "moved", "boston"])]
    (tmp_path / "own.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "notes.csv").write_text('id,text\n007,"The doctor, moved"\n008,to Boston\n009,\n')
    vectors = np.random.default_rng(0).normal(size=(50, 6))
    np.save(tmp_path / "v.npy", vectors)
    np.save(tmp_path / "square.npy", np.diag(np.arange(1.0, 7.0)))
    np.save(tmp_path / "negative.npy", np.diag([-1.0, 1, 1, 1, 1, 1]))
    np.save(tmp_path / "small.npy", np.eye(3))
    np.save(tmp_path / "zeros.npy", np.where(np.arange(50)[:, None] == 33, 0.0, vectors))
    np.save(tmp_path / "nan.npy", np.where(np.arange(50)[:, None] == 2, np.nan, vectors))
    (tmp_path / "v.jsonl").write_text('{"v": [1.5, 2.5]}\n')
    pq.write_table(pa.table({"embedding": list(vectors), "id": range(50)}), tmp_path / "v.parquet")
    return tmp_path


def test_texts_are_embedded_receipted_and_verified(folder):
    arguments = ("embed", "notes.csv", "--column", "text", "-o", "out.parquet", "-e", "1e6", "--vocabulary", "own.txt")
    assert "Nothing has been released" in run(*arguments, "--preview", cwd=folder).stdout
    assert not (folder / "out.parquet").exists()
    assert "Proved: for two texts" in run(*arguments, cwd=folder).stdout
    table = pq.read_table(folder / "out.parquet")
    assert table["id"].to_pylist() == ["007", "008", "009"]
    means = [[(0.5 + 1.5 + 3.5) / 3, 1 / 3, 1], [2.5, 0.5, 1], [0.5, 0, 1]]
    assert np.allclose(table["embedding"].to_pylist(), means, atol=1e-3)
    assert "WRONG" not in run("verify", "out.parquet", cwd=folder).stdout
    assert "exists" in run(*arguments, cwd=folder, status=2).stderr
    run(*arguments, "--overwrite", "--vectors-only", "--packed", "--dtype", "float16", cwd=folder)
    table = pq.read_table(folder / "out.parquet")
    assert table.schema.field("embedding").type == pa.binary(6)
    assert table.column_names == ["embedding"]


@pytest.mark.parametrize(
    ("options", "name", "dimension"),
    [
        (["-m", "laplace", "-e", "2"], "Laplace", 6),
        (["-m", "laplace", "-e", "2", "--delta", "1e-6", "--sensitivity", "1", "--precision", "fast"], "Laplace", 6),
        (["-m", "gaussian", "-e", "1", "--delta", "1e-6", "--sensitivity", "2"], "Gaussian", 6),
        (["-m", "privunit", "-e", "8", "--clip", "1"], "PrivUnit", 6),
        (["-m", "privemb", "-e", "2", "--target", "3", "--projection", "pca", "--public", "v.npy"], "PrivEmb", 3),
        (["-m", "mahalanobis", "-e", "2", "--covariance", "square.npy", "--mix", "0.5"], "Mahalanobis", 6),
    ],
)
def test_vectors_are_released_by_each_mechanism(folder, options, name, dimension):
    run("embed", "v.parquet", "--column", "embedding", "-o", "out.npy", *options, cwd=folder)
    assert np.load(folder / "out.npy").shape == (50, dimension)
    receipt = json.loads((folder / "out.npy.receipt.json").read_text())
    assert receipt["mechanism"]["mechanism"] == name
    assert receipt["guarantee"]["epsilon"] == float(options[3])
    assert receipt["guarantee"]["unit"] == "vector"


def test_a_stream_of_texts_and_an_array_of_vectors(folder):
    run("embed", "-", "-o", "a.arrow", "-e", "5", "--vocabulary", "own.txt", cwd=folder, stdin="doctor\nnurse\n")
    run("embed", "v.npy", "-o", "b.npy", "-e", "5", "--key-file", "key", cwd=folder)
    run("embed", "v.npy", "-o", "c.npy", "-e", "5", "--key-file", "key", cwd=folder, anew=True)
    assert (folder / "b.npy").read_bytes() == (folder / "c.npy").read_bytes()
    assert "2 records in a.arrow" in run("verify", "a.arrow", cwd=folder).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.npy", "-e", "1"], "missing.npy"),
        (["v.npy", "-e", "0"], "epsilon must be"),
        (["v.npy", "-e", "nan"], "epsilon must be"),
        (["v.npy", "-e", "1", "-m", "magic"], "--mechanism must be one of laplace"),
        (["v.npy", "-e", "1", "--clip", "1"], "--clip is not for laplace"),
        (["v.npy", "-e", "1", "-m", "gaussian"], "gaussian needs --delta"),
        (["v.npy", "-e", "1", "-m", "gaussian", "--delta", "1", "--sensitivity", "1"], "delta must be"),
        (["v.npy", "-e", "1", "--delta", "1e-6"], "sensitivity"),
        (["v.npy", "-e", "1", "-m", "privunit", "--clip", "-1"], "clip"),
        (["v.npy", "-e", "1", "-m", "privemb", "--target", "7"], "target"),
        (["v.npy", "-e", "1", "-m", "mahalanobis", "--covariance", "v.npy"], "covariance"),
        (["v.npy", "-e", "1", "-m", "mahalanobis", "--covariance", "own.txt"], "own.txt is not an npy file"),
        (["zeros.npy", "-e", "1", "--normalise"], "record 34 of the input: a vector of zeros has no direction"),
        (["v.npy", "-e", "1", "-m", "privunit"], "privunit needs --clip: longer vectors are shortened to it"),
        (["v.npy", "-e", "1", "-m", "privunit", "--clip", "1", "--sampler", "x"], "--sampler must be"),
        (["v.npy", "-e", "200", "-m", "privunit", "--clip", "1", "--sampler", "rejection"], "use --sampler beta"),
        (["v.npy", "-e", "1", "--sampler", "beta"], "--sampler is not for laplace"),
        (["v.npy", "-e", "1", "--packed"], "leave --packed out"),
        (["v.npy", "-e", "1", "--words", "100"], "--words would do nothing, since the input holds vectors"),
        (["v.npy", "-e", "1", "--vocabulary", "own.txt"], "--vocabulary would do nothing"),
        (["v.npy", "-e", "1", "--delimiter", ";"], "--delimiter would do nothing"),
        (["v.npy", "-e", "1", "--encoder", "minilm"], "--encoder would do nothing"),
        (["v.npy", "-e", "1", "-m", "mahalanobis", "--covariance", "small.npy"], "--covariance must be 6 x 6, since"),
        (["v.npy", "-e", "1", "-m", "mahalanobis", "--covariance", "negative.npy"], "its least eigenvalue is -1"),
        (["v.npy", "-e", "1", "-m", "privemb", "--target", "2", "--public", "nan.npy"], "row 3 of --public has a NaN"),
        (["v.npy", "-e", "1", "-m", "privemb", "--target", "2", "--public", "small.npy"], "--public must have 6"),
        (["v.npy", "-e", "1", "-m", "privemb", "--target", "2", "--projection", "pca"], "needs --public"),
        (["v.jsonl", "-e", "1", "--column", "v", "--vocabulary", "own.txt"], "vectors are not read from jsonl"),
        (["v.npy", "-e", "1", "--dtype", "int8"], "dtype must be one of"),
        (["v.npy", "-e", "1", "--precision", "rough"], "precision"),
        (["v.npy", "-e", "1", "--column", "x"], "leave --column out"),
        (["v.parquet", "-e", "1"], "embedding, id"),
        (["v.parquet", "-e", "1", "--column", "body"], "no column 'body': v.parquet has 2 columns: embedding, id"),
        (["v.parquet", "-e", "1", "--column", "id"], "columns of vectors: embedding"),
        (["notes.csv", "-e", "1", "--column", "body", "--vocabulary", "own.txt"], "2 columns"),
    ],
)
def test_bad_input_is_one_clear_line_and_status_2(folder, arguments, message):
    done = run("embed", *arguments, "-o", "out.npy", cwd=folder, status=2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "out.npy").exists()


def test_texts_are_embedded_by_a_sentence_encoder(folder):
    arguments = ("embed", "notes.csv", "--column", "text", "-o", "out.npy", "-e", "1e6", "-m", "laplace")
    assert "all-MiniLM-L6-v2" in run(*arguments, "--encoder", "minilm-int8", cwd=folder).stdout
    vectors = np.load(folder / "out.npy")
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=0.05)
    told = run(*arguments, "--encoder", "minilm", "--vocabulary", "own.txt", "--overwrite", cwd=folder, status=2).stderr
    assert "--vocabulary would do nothing, since the encoder is minilm" in told
    told = run(*arguments, "--encoder", "./nowhere", "--overwrite", cwd=folder, status=2).stderr
    assert "sentence-transformers" in told
    assert told.count("\n") == 1


def test_columns_of_text_and_those_that_npy_drops_are_named_on_standard_error(folder):
    table = pa.table({"id": [1, 2], "note": ["a", "b"], "v": [[1.0, 2.0], [3.0, 4.0]]})
    pq.write_table(table, folder / "both.parquet")
    arguments = ("embed", "both.parquet", "-c", "v", "-e", "5")
    told = run(*arguments, "-o", "a.parquet", cwd=folder).stderr
    assert "may hold text and pass through unchanged: note; --vectors-only leaves them out" in told
    assert run(*arguments, "-o", "b.parquet", "--vectors-only", cwd=folder).stderr == ""
    assert "npy holds the vectors alone, without id, note" in run(*arguments, "-o", "a.npy", cwd=folder).stderr
    words = ("--vocabulary", "own.txt", "-e", "5", "--column", "text")
    told = run("rewrite", "notes.csv", "-o", "o.csv", *words, cwd=folder).stderr
    assert "pass through unchanged: id; remove them from the input" in told


def test_a_preview_shows_a_scale_from_public_data(folder):
    texts = ("embed", "notes.csv", "-c", "text", "-o", "o.parquet", "-e", "1", "--vocabulary", "own.txt", "--preview")
    assert "Scale    two public words lie" in run(*texts, cwd=folder).stdout
    vectors = ("embed", "v.npy", "-o", "o.npy", "-e", "8", "-m", "privunit", "--clip", "2", "--preview")
    shown = run(*vectors, cwd=folder).stdout
    assert "Scale    unknown" in shown
    assert "(vectors longer than 2 are shortened to it)" in shown
    assert "two rows of --public lie" in run(*vectors, "--public", "v.npy", cwd=folder).stdout
    assert "--public is not for privunit" in run(*vectors[:-1], "--public", "v.npy", cwd=folder, status=2).stderr


def test_normalise_divides_by_lengths(folder):
    run("embed", "v.npy", "-o", "o.npy", "-e", "1e6", "--normalise", "--dtype", "float64", cwd=folder)
    vectors = np.load(folder / "v.npy")
    assert np.allclose(np.load(folder / "o.npy"), vectors / np.linalg.norm(vectors, axis=1, keepdims=True), atol=1e-3)
    assert "each divided by its length" in (folder / "o.npy.receipt.json").read_text()
