"""Whole utterances on the command line."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import textveil as tv
from textveil.cli import app
from textveil.errors import InvalidInputError


@pytest.fixture
def said(tmp_path):
    path = tmp_path / "said.txt"
    path.write_text("Will it rain in Ohio?\n\ncall my mother\n" * 3)
    return path


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_file_is_rewritten_with_the_model_that_comes_with_textveil(said):
    out = said.with_name("out.txt")
    done = invoke("rewrite", said, "-o", out, "--mechanism", "adept", "--epsilon", 8)
    assert done.exit_code == 0, done.output
    assert "Proved: for two utterances" in done.output
    assert "trained for" not in done.output
    assert len(out.read_text().split("\n")) == 10
    assert invoke("verify", out, f"{out}.receipt.json").exit_code == 0


def test_the_preview_releases_nothing(said):
    done = invoke("rewrite", said, "-o", said.with_name("o"), "-m", "adept", "--epsilon", 8, "--beam", 3, "--preview")
    assert done.exit_code == 0, done.output
    assert "8 nats at most, between any two records" in done.output
    assert not said.with_name("o").exists()


def test_an_interrupted_command_given_again_writes_what_it_would_have(said, monkeypatch):
    said.write_text("Will it rain in Ohio?\n\ncall my mother\n" * 3000)
    key, whole, out = (said.with_name(name) for name in ("key", "whole.txt", "out.txt"))
    command = ("rewrite", said, "--key-file", key, "-m", "adept", "--epsilon", 8, "-o")
    assert invoke(*command, whole).exit_code == 0
    sample, calls = tv.Adept._sample, []

    def stopping(self, items, streams):
        calls.append(len(items))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return sample(self, items, streams)

    monkeypatch.setattr(tv.Adept, "_sample", stopping)
    stopped = invoke(*command, out)
    assert stopped.exit_code != 0
    assert not out.exists()
    assert invoke(*command, out).exit_code == 0
    assert out.read_bytes() == whole.read_bytes()


def test_another_epsilon_than_trained_for_is_allowed_and_said(said):
    done = invoke("rewrite", said, "-o", said.with_name("o.txt"), "-m", "adept", "--epsilon", 1)
    assert done.exit_code == 0, done.output
    assert "trained for epsilon 2 to 12; at 1 the promise is the same" in done.output


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("-m", "adept"), "--epsilon 8"),
        (("-m", "adept", "--epsilon", "8", "--unchanged", "0.2"), "omit --unchanged"),
        (("-m", "adept", "--epsilon", "8", "--radius", "2", "--case", "keep"), "omit --radius, --case"),
        (("--model", "m.npz", "--epsilon", "8"), "for --mechanism adept"),
        (("-m", "adept", "--epsilon", "8", "--beam", "-1"), "beam"),
        (("-m", "adept", "--epsilon", "0"), "epsilon must be"),
    ],
)
def test_options_that_do_not_fit_are_refused(said, options, told):
    done = invoke("rewrite", said, "-o", said.with_name("o.txt"), *options)
    assert isinstance(done.exception, InvalidInputError)
    assert told in str(done.exception)
    assert done.output == ""
    assert not said.with_name("o.txt").exists()


def test_a_model_is_trained_and_used(said):
    pytest.importorskip("torch")
    model, out = said.with_name("model.npz"), said.with_name("out.txt")
    trained = invoke(
        *("train", "autoencoder", said, "-o", model, "--latent", 3, "--hidden", 8, "--epochs", 2, "--epsilon", 4),
        *("--up-to", 6, "--threads", 1, "--length", 5),
    )
    assert trained.exit_code == 0, trained.output
    assert "6 public utterances; none of them may be among those that you release" in trained.output
    assert "epoch 2" in trained.output
    codec = tv.AutoEncoder.load(model)
    assert (codec.dimension, codec.epsilons, codec.table.length) == (3, (4.0, 6.0), 5)
    assert sorted(path.name for path in said.parent.iterdir()) == ["model.npz", "said.txt"]
    done = invoke("rewrite", said, "-o", out, "-m", "adept", "--model", model, "--epsilon", 5)
    assert done.exit_code == 0, done.output
    assert invoke("train", "autoencoder", said, "-o", said.with_name("model.txt")).exception is not None


def test_the_demo_shows_utterances_the_promise_and_the_refutation():
    done = invoke("demo", "adept", "--seed", 1)
    assert done.exit_code == 0, done.output
    for told in ("epsilon 2", "epsilon 5", "epsilon 8", "epsilon 12", "Proved: for two utterances", "REFUTED"):
        assert told in done.output
    assert isinstance(invoke("demo", "nonsense").exception, InvalidInputError)
