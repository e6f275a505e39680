"""A run whose records are among the user's own candidates is refused before anything is released."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from textveil.cli import app
from textveil.errors import InvalidInputError

PUBLIC = "The cat sat on the mat. It was raining.\nDogs bark at night.\nBirds sing.\n"


@pytest.fixture
def embed(tmp_path):
    (tmp_path / "public.txt").write_text(PUBLIC)

    def run(name, content, *more):
        (tmp_path / name).write_text(content)
        arguments = ["embed", str(tmp_path / name), "-o", str(tmp_path / "out.parquet"), "--epsilon", "8", *more]
        return CliRunner().invoke(app, [*arguments, "--candidates", str(tmp_path / "public.txt")])

    return run


@pytest.mark.parametrize("mechanism", ["public-response", "deepcandidate"])
def test_records_that_are_candidates_stop_the_run(embed, tmp_path, mechanism):
    for more in ([], ["--preview"]):
        done = embed("private.txt", "My dog is ill.\nit was RAINING.\nbirds  sing.\n", "-m", mechanism, *more)
        assert isinstance(done.exception, InvalidInputError)
        assert "sentence of one: 2;" in str(done.exception)
        assert "raining" not in str(done.exception).lower()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["private.txt", "public.txt"]


def test_lists_of_sentences_are_compared_as_texts(embed):
    rows = [{"text": ["Birds", "sing."]}, {"text": ["Birds sing.", "Dogs bark."]}]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    done = embed("private.jsonl", content, "-m", "deepcandidate", "--column", "text")
    assert "sentence of one: 1;" in str(done.exception)


def test_records_that_are_none_are_released(embed, tmp_path):
    done = embed("private.txt", "My dog is ill.\nIt was dry. Birds sing.\n", "-m", "deepcandidate")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out.parquet").exists()
