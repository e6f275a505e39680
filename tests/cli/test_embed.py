"""textveil embed as a user meets it: real processes, real files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

TEXTVEIL = Path(sys.executable).with_name("textveil")


def run(*arguments, cwd, stdin=None, status=0):
    environment = {**os.environ, "TEXTVEIL_CACHE": str(cwd / "cache"), "COLUMNS": "120", "NO_COLOR": "1"}
    done = subprocess.run(
        [TEXTVEIL, *arguments], cwd=cwd, input=stdin, capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def folder(tmp_path):
    lines = [f"{word} {i}.5 {i % 3} 1" for i, word in enumerate(["unk", "doctor", "nurse", "moved", "boston"])]
    (tmp_path / "own.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "notes.csv").write_text('id,text\n007,"The doctor, moved"\n008,to Boston\n009,\n')
    vectors = np.random.default_rng(0).normal(size=(50, 6))
    np.save(tmp_path / "v.npy", vectors)
    np.save(tmp_path / "square.npy", np.diag(np.arange(1.0, 7.0)))
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
    run("embed", "v.npy", "-o", "c.npy", "-e", "5", "--key-file", "key", cwd=folder)
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
        (["v.npy", "-e", "1", "--normalise"], "length"),
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
