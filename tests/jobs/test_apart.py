"""A run whose records are among the user's own candidates is refused before anything is released, encoded or kept."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from typer.testing import CliRunner

from textveil.cli import app
from textveil.errors import InvalidInputError

PUBLIC = "The cat sat on the mat. It was raining.\nDogs bark at night.\nBirds sing.\n"
# Every mechanism that takes --candidates, and every unit.
WORKS = [
    ["-m", "public-response"],
    ["-m", "public-response", "--per", "document"],
    ["-m", "public-response", "--per", "sentence"],
    ["-m", "deepcandidate"],
    ["-m", "truncated-mean"],
]


@pytest.fixture
def embed(tmp_path, monkeypatch):
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "public.txt").write_text(PUBLIC)

    def run(name, content, *more, candidates="public.txt", **options):
        if content is not None:
            (tmp_path / name).write_text(content)
        source = "-" if name == "-" else str(tmp_path / name)
        arguments = ["embed", source, "-o", str(tmp_path / "out.parquet"), "--epsilon", "8", *more]
        return CliRunner().invoke(app, [*arguments, "--candidates", str(tmp_path / candidates)], **options)

    return run


@pytest.mark.parametrize("work", WORKS, ids=" ".join)
def test_records_that_are_candidates_stop_the_run(embed, tmp_path, work):
    content = "My dog is ill.\nSo he said. the CAT sat on the mat. Yes.\nbirds  sing.\nIt was raining.\n"
    for more in ([], ["--preview"]):
        done = embed("private.txt", content, *work, *more)
        assert isinstance(done.exception, InvalidInputError)
        assert "words with one: 2;" in str(done.exception)
        assert "cat" not in str(done.exception).lower().split()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["private.txt", "public.txt"]


@pytest.mark.parametrize("work", WORKS, ids=" ".join)
def test_records_that_are_none_are_released(embed, tmp_path, work):
    done = embed("private.txt", "My dog is ill.\nIt was dry. Birds sing.\n", *work)
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    assert (tmp_path / "out.parquet").exists()
    assert (tmp_path / "cache" / "vectors").stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "cache" / "vectors").iterdir()] == [0o600]


def test_lists_of_sentences_are_compared_as_texts(embed):
    rows = [{"text": ["Birds", "sing."]}, {"text": ["Birds sing.", "Dogs bark."]}]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    done = embed("private.jsonl", content, "-m", "deepcandidate", "--column", "text")
    assert "words with one: 1;" in str(done.exception)


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_the_input_itself_is_refused_as_candidates(embed, tmp_path, link):
    (tmp_path / "private.txt").write_text("Yes.\n")
    link(tmp_path / "private.txt", tmp_path / "other.txt")
    done = embed("private.txt", None, *WORKS[0], candidates="other.txt")
    assert "are the input, which is private" in str(done.exception)


def test_vectors_are_compared_row_by_row(embed, tmp_path):
    vectors = np.random.default_rng(1).normal(size=(9, 4))
    np.save(tmp_path / "private.npy", vectors)
    np.save(tmp_path / "public.npy", vectors[3:5])
    options = ["-m", "public-response", "--nearest", "1"]
    done = embed("private.npy", None, *options, candidates="public.npy")
    assert "words with one: 2;" in str(done.exception)
    np.save(tmp_path / "public.npy", vectors[3:5] + 0.01)
    done = embed("private.npy", None, *options, candidates="public.npy")
    assert done.exit_code == 0, done.output
    assert done.stderr == ""


def test_what_can_not_be_compared_is_told(embed, tmp_path):
    done = embed("-", None, *WORKS[0], input="Birds sing.\n")
    assert done.exit_code == 0, done.output
    assert "not compared with --candidates, since standard input can be read only once" in done.stderr
    np.save(tmp_path / "public.npy", np.random.default_rng(1).normal(size=(9, 50)))
    done = embed("private.txt", "Birds sing.\n", *WORKS[3], "--overwrite", candidates="public.npy")
    assert done.exit_code == 0, done.output
    assert "public.npy holds only vectors" in done.stderr
    assert done.stderr.count("\n") == 1
