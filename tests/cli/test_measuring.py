"""Measuring from the command line: a picture of a word, and epsilon by plausible deniability."""

from __future__ import annotations

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import textveil as tv
from textveil.cli import app
from textveil.spaces import Poincare


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def ball(tmp_path):
    angles = 2 * np.pi * np.arange(12) / 12
    points = np.vstack([np.zeros((1, 2)), 0.7 * np.column_stack([np.cos(angles), np.sin(angles)])])
    vocabulary = tv.Vocabulary(["root", *(f"leaf{i}" for i in range(12))], points, space=Poincare(2))
    vocabulary.save(tmp_path / "ball.npz")
    return tmp_path / "ball.npz"


def test_a_saved_vocabulary_remembers_that_it_is_hyperbolic(ball):
    assert tv.Vocabulary.load(ball).space == Poincare(2)


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_a_word_is_drawn(ball, tmp_path, kind):
    picture = tmp_path / f"disc.{kind}"
    done = run("explain", "leaf3", "-e", "2", "--radius", "none", "--vocabulary", ball, "--picture", picture)
    assert done.exit_code == 0, done.exception
    assert '"leaf3" stays with chance' in done.stdout
    assert "disc." + kind in done.stdout
    start = picture.read_bytes()[:60]
    assert b"PNG" in start if kind == "png" else b"<?xml" in start


def test_a_picture_of_two_words_or_of_an_unknown_kind_is_refused(ball, tmp_path):
    for words, name in ((["leaf1", "leaf2"], "disc.svg"), (["leaf1"], "disc.txt")):
        done = run("explain", *words, "-e", "2", "--vocabulary", ball, "--picture", tmp_path / name)
        assert isinstance(done.exception, tv.InvalidInputError)
        assert not (tmp_path / name).exists()


def test_epsilon_is_found_by_the_number_of_plausible_words(ball):
    done = run("calibrate", "--deniability", "3", "--radius", "none", "--factor", "2", "--vocabulary", ball)
    assert done.exit_code == 0, done.exception
    epsilon = float(re.search(r"epsilon\s+([\d.]+)", done.stdout)[1])
    # A leaf has itself, its two neighbours on the circle and the root; the root has every leaf.
    table = tv.Vocabulary.load(ball)
    nearest = np.sort(table.space.distances(*[table.block(0, 13)] * 2), axis=1)[:, 2].max()
    assert epsilon == pytest.approx(np.log(2) / nearest, rel=1e-3)
    assert "at least 3 words within a factor 2, for all words" in done.stdout
    both = run("calibrate", "--deniability", "3", "-e", "1", "--vocabulary", ball)
    assert isinstance(both.exception, tv.InvalidInputError)


@pytest.mark.parametrize(
    ("options", "weights"),
    [(("--unchanged", "0.2", "--radius", "none"), "none"), (("--deniability", "3", "--share", "0.9"), "general")],
)
def test_the_options_that_calibrate_prints_are_those_of_the_same_mechanism(ball, options, weights):
    found = run("calibrate", *options, "--vocabulary", ball)
    assert found.exit_code == 0, found.exception
    assert f"weights    {weights}\n" in found.stdout
    assert f" --weights {weights}\n" in found.stdout
    again = run("explain", "leaf3", *re.search(r"options +(.*)", found.stdout)[1].split())
    assert again.exit_code == 0, again.exception
    promise = re.search("Proved: .*", found.stdout)[0]
    assert promise in again.stdout
    kept = re.search(r"unchanged +(\S+%)", found.stdout)[1]
    assert f"Over the whole vocabulary {kept} of the words are kept" in again.stdout
    assert ("for 90% of all words" in found.stdout) == ("--share" in options)


def test_what_epsilon_does_is_drawn(ball, tmp_path):
    picture = tmp_path / "curves.svg"
    done = run("calibrate", "--deniability", "3", "--vocabulary", ball, "--picture", picture)
    assert done.exit_code == 0, done.exception
    assert b"<?xml" in picture.read_bytes()[:60]
    for place, why in (("curves.doc", "a picture is written as"), ("absent/curves.svg", "there is no folder")):
        refused = run("calibrate", "--deniability", "3", "--vocabulary", ball, "--picture", tmp_path / place)
        assert isinstance(refused.exception, tv.InvalidInputError)
        assert why in str(refused.exception)
