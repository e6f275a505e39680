"""The experiments on utterances, on a small made-up data set through the same code."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import textveil as tv
from textveil.learn.autoencoder.requests import requests
from textveil.learn.autoencoder.tokens import words_of
from textveil.reproduce import adept_attack, adept_intents, reproduce
from textveil.reproduce.adept_attack import attack
from textveil.reproduce.adept_intents import (
    CLEAN,
    COMMONEST,
    NOISES,
    REPAIRED,
    SHUFFLED,
    mechanism_of,
    one_run,
    reported,
)
from textveil.reproduce.utterances import accuracy, described, read_corpus

SOME = ("weather", "music", "call")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "cls").mkdir()
    made = [each for each in requests(2500, seed=11) if each.intent in SOME]
    lines = [
        f"{'test' if place % 5 == 0 else 'train'}\t{each.intent}{';x' if place % 50 == 1 else ''}\t{each.text}\tO"
        for place, each in enumerate(made)
    ]
    for name in ("snips", "atis"):
        with gzip.open(folder / "cls" / f"{name}.tsv.gz", "wt", encoding="utf-8") as file:
            file.write("split\tintent\ttokens\tslots\n" + "\n".join(lines) + "\n")
    return folder


def test_public_private_and_test_share_no_utterance(data):
    corpus = read_corpus(data, "snips", seed=0)
    parts = [{each.text for each in part} for part in (corpus.public, corpus.private, corpus.test)]
    assert not parts[0] & parts[1]
    assert not (parts[0] | parts[1]) & parts[2]
    assert abs(len(parts[0]) - len(parts[1])) <= 1
    assert {each.intent for each in corpus.private} == set(SOME)
    assert [each.text for each in read_corpus(data, "snips", seed=1).public] != [each.text for each in corpus.public]
    assert len(read_corpus(data, "snips", seed=0, most=40).private) == 20


def test_the_classifier_learns_what_is_there_and_nothing_else(data):
    corpus = read_corpus(data, "snips", seed=0)
    texts, intents = [each.text for each in corpus.private], [each.intent for each in corpus.private]
    assert accuracy(texts, intents, corpus.test) > 0.95
    shuffled = [intents[place] for place in np.random.default_rng(0).permutation(len(intents))]
    assert accuracy(texts, shuffled, corpus.test) < 0.6
    assert accuracy(["", ""], ["call", "call"], corpus.test) == np.mean([e.intent == "call" for e in corpus.test])


def test_a_run_measures_every_cell(data, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(adept_intents, "EPSILONS", (2.0, 8.0))
    monkeypatch.setenv("TEXTVEIL_THREADS", "1")
    records = one_run(read_corpus(data, "snips", seed=0, most=120), 0, epochs=1)
    rows = [(record["noise"], record["epsilon"]) for record in records]
    names = [noise.name for noise in NOISES]
    assert rows[:2] == [(CLEAN, None), (COMMONEST, None)]
    assert sorted(set(rows[2:])) == sorted([*((name, e) for name in names for e in (2.0, 8.0)), (SHUFFLED, 8.0)])
    truly = {record["noise"]: record["true epsilon"] for record in records if record["epsilon"] == 8.0}
    assert [truly[name] for name in names] == pytest.approx([8.0, 8 * 32**0.5, 8.0, 8 * 4**0.5])
    monkeypatch.setattr(adept_intents, "trained", None)
    assert one_run(read_corpus(data, "snips", seed=0, most=120), 0, epochs=1) == records, "cells are kept"
    report = reported(records, described(data, "snips"))
    assert report.tables[-1].row_count == 2
    assert "published, 4 numbers, same nominal epsilon" in names
    assert not any("published" in str(cell) for cell in report.tables[0].columns[0].cells)
    assert report.tables[0].row_count == len(NOISES) + 3
    assert [column.header for column in report.tables[0].columns] == ["", "ε = 2", "ε = 8"]
    assert all(next(iter(column.cells)) for column in report.tables[0].columns), "clean text is at every epsilon"
    assert report.draw is not None
    assert report.draw() is not None
    assert len(report.records) == len(records)


def test_the_attack_is_measured_beside_its_bound():
    codec = tv.AutoEncoder.default()
    texts = list(dict.fromkeys(each.text for each in requests(200, seed=1)))[:60]
    made = attack([(NOISES[0], codec), (NOISES[3], codec)], texts)
    broken = [record for record in made.records if record["noise"] != REPAIRED]
    assert all(record["delta"] == 0 for record in made.records if record["noise"] == REPAIRED)
    assert all(record["delta"] > 0.03 for record in broken)
    assert made.tables[0].row_count == 2 * len(adept_attack.EPSILONS)
    assert all(record["vector, among 10"] >= record["vector, among 1"] for record in made.records)


def test_the_repaired_default_needs_no_more_than_the_promise():
    codec = tv.AutoEncoder.default()
    assert mechanism_of(codec, NOISES[0], 8.0).guarantee.status is tv.Status.PROVED
    assert mechanism_of(codec, NOISES[3], 8.0).guarantee.status is tv.Status.REFUTED
    assert NOISES[2].nominal(8.0) == pytest.approx(8 / 32**0.5)


def test_data_is_asked_for_where_it_is_needed():
    with pytest.raises(tv.InvalidInputError, match="--data"):
        reproduce("adept-intents")
    pytest.importorskip("torch")
    with pytest.raises(tv.InvalidInputError, match="no file"):
        reproduce("adept-intents", data=Path("nowhere"))


def test_words_are_those_of_the_models():
    assert words_of("Add DON and Sherri's, please", 9) == ["add", "don", "and", "sherri's", "please"]
