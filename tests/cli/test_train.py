"""textveil train as a user meets it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from textveil.cli import app, train
from textveil.cli.options import vocabulary_of
from textveil.errors import InvalidInputError
from textveil.spaces import Poincare
from textveil.vocabulary import Vocabulary

TEXTVEIL = Path(sys.executable).with_name("textveil")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "r.tsv"
    path.write_text("dog\tcanine\ncanine\tmammal\ncat\tfeline\nfeline\tmammal\nmammal\tanimal\n")
    return path


def test_relations_become_a_vocabulary_in_the_ball(table):
    out = table.with_name("out.npz")
    arguments = ["train", "poincare", str(table), "-o", str(out), "-d", "3", "--epochs", "200", "--negatives", "3"]
    done = CliRunner().invoke(app, [*arguments, "--exact", "--threads", "1"])
    assert done.exit_code == 0, done.output
    assert "11 pairs of 6 names" in done.output
    assert "epoch 200" in done.output
    assert done.output.count("MAP") == 5
    vocabulary = Vocabulary.load(out)
    assert vocabulary.space == Poincare(3)
    assert set(vocabulary.words) == {"dog", "canine", "cat", "feline", "mammal", "animal"}
    assert sorted(path.name for path in table.parent.iterdir()) == ["out.npz", "r.tsv"]


def test_an_interrupted_run_says_how_to_go_on_and_does(table):
    out = table.with_name("out.npz")
    arguments = [TEXTVEIL, "train", "poincare", table, "-o", out, "--epochs", "1000000", "--every", "100"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            if line.startswith("epoch"):
                break
        time.sleep(0.2)
        run.send_signal(signal.SIGINT)
        _, told = run.communicate(timeout=30)
    assert run.returncode == 130
    assert told.startswith("textveil: interrupted")
    assert told.count("\n") == 1
    assert not out.exists()
    assert int(np.load(table.with_name("out.npz.checkpoint"))["epochs"]) >= 100
    with pytest.raises(InvalidInputError, match="--discard"):
        train.poincare(table, out)


@pytest.mark.parametrize("model", ["poincare", "recoder", "autoencoder"])
def test_a_finished_model_is_not_overwritten_unasked(table, model):
    out = table.with_name("out.npz")
    out.write_bytes(b"a day of training")
    done = CliRunner().invoke(app, ["train", model, str(table), "-o", str(out)])
    assert isinstance(done.exception, InvalidInputError)
    assert "--overwrite" in str(done.exception)
    assert out.read_bytes() == b"a day of training"


def test_overwriting_is_possible_and_a_bad_embedding_is_told(table):
    out = table.with_name("out.npz")
    out.write_bytes(b"old")
    table.write_text("".join(f"n{i}\tn{i // 2}\n" for i in range(1, 200)))
    arguments = ["train", "poincare", str(table), "-o", str(out), "-d", "2", "--epochs", "1", "--threads", "1"]
    done = CliRunner().invoke(app, [*arguments, "--overwrite"])
    assert done.exit_code == 0, done.output
    assert "unknown='n0'" in done.output
    assert "warning: MAP is 0." in done.output
    assert Vocabulary.load(out).unknown == "n0"


def test_the_hyperbolic_vocabulary_has_a_name_on_the_command_line():
    assert vocabulary_of(Path("hyperbolic"), 30_000) == Vocabulary.hyperbolic()


def test_a_bad_target_is_refused_before_any_work(table, tmp_path):
    for target in (tmp_path / "out.txt", tmp_path / "none" / "out.npz"):
        with pytest.raises(InvalidInputError, match="OUT must be"):
            train.poincare(table, target)


def test_documents_become_a_recoder_that_embed_takes(tmp_path):
    pytest.importorskip("torch")
    source, out = tmp_path / "public.txt", tmp_path / "recoder.npz"
    kinds = (("dog", "cat", "bird"), ("rain", "sun", "wind"))
    lines = [f"The {a} and the {b}. A {b}!" for words in kinds for a in words for b in words]
    source.write_text("\n".join([*lines, "", *lines]) + "\n")
    arguments = ["train", "recoder", str(source), "-o", str(out), "--encoder", "words", "--clusters", "2"]
    done = CliRunner().invoke(app, [*arguments, "--epochs", "2", "-d", "7"])
    assert done.exit_code == 0, done.output
    assert "72 sentences of 36 documents" in done.output
    assert "epoch 2" in done.output
    assert "recodes 50 numbers into 7" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["public.txt", "recoder.npz"]
    private = tmp_path / "private.txt"
    private.write_text("My horse is ill. It rains.\n")
    arguments = ["embed", str(private), "-o", str(tmp_path / "out.npy"), "-m", "deepcandidate", "--epsilon", "9"]
    done = CliRunner().invoke(app, [*arguments, "--recoder", str(out), "--candidates", str(source)])
    assert done.exit_code == 0, done.output
    assert np.load(tmp_path / "out.npy").shape == (1, 7)
    with pytest.raises(InvalidInputError, match="OUT must be"):
        train.recoder(source, tmp_path / "out.txt")
