"""With a model that looks like those of sentence-transformers, which brings torch and is not installed for tests."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import textveil as tv
from textveil.hashing import Packed

TEXTS = [b"one two", b" three ", b"", b"four five six", b"a b"] * 9


class Tensor:
    def __init__(self, values):
        self.values, self.dtype = values, SimpleNamespace(is_floating_point=True)

    def detach(self):
        return self

    cpu = double = detach

    def numpy(self):
        return self.values


class Model:
    """Pads to the longest text of a batch, and adds a last bit for the padding and, on demand, for the place."""

    device, max_seq_length, sensitive, weight = SimpleNamespace(type="cpu"), 8, False, 1.0

    def __init__(self, name, *, device, local_files_only):
        assert local_files_only
        if name == "nowhere":
            raise OSError(name)
        self.shapes = []

    def tokenizer(self, texts, truncation, max_length):
        return {"input_ids": [text.split()[:max_length] for text in texts]}

    def encode(self, texts, batch_size, show_progress_bar):
        assert len(texts) == batch_size
        lengths = [len(text.split()) for text in texts]
        self.shapes.append((len(texts), max(lengths)))
        return [
            [len(text), length + 1e-12 * (max(lengths) - length), 1e-12 * place * self.sensitive]
            for place, (text, length) in enumerate(zip(texts, lengths, strict=True))
        ]

    def state_dict(self):
        return {"weight": Tensor(np.array([self.weight]))}

    def __str__(self):
        return "layers"


@pytest.fixture
def model(monkeypatch):
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = type("SentenceTransformer", (Model,), {})
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    return module.SentenceTransformer


@pytest.mark.parametrize("at_once", [None, 4])
def test_a_vector_does_not_depend_on_its_batch(model, at_once):
    encoder = tv.SentenceTransformersEncoder("folder", at_once=at_once)
    assert encoder.dimension == 3
    together = encoder.encode(Packed.of(TEXTS))
    assert np.array_equal(together[:5], [[7, 2, 0], [5, 1, 0], [0, 0, 0], [13, 3, 0], [3, 2, 0]])
    for place in range(5):
        assert np.array_equal(encoder.encode(Packed.of([TEXTS[place]]))[0], together[place])
    assert {rows for rows, _ in encoder._model.shapes} == {at_once or 1}
    assert encoder.encode(Packed.of([])).shape == (0, 3)


def test_on_a_gpu_batches_are_large_and_always_full(model):
    model.device = SimpleNamespace(type="cuda")
    encoder = tv.SentenceTransformersEncoder("folder")
    encoder.encode(Packed.of(TEXTS))
    assert {rows for rows, _ in encoder._model.shapes} == {64}


def test_a_model_that_minds_the_place_is_refused_in_batches(model):
    model.sensitive = True
    tv.SentenceTransformersEncoder("folder")
    with pytest.raises(tv.InvalidInputError, match="give at_once=1"):
        tv.SentenceTransformersEncoder("folder", at_once=4)


def test_the_digest_is_that_of_the_weights_not_of_the_name(model, monkeypatch):
    monkeypatch.setattr(model, "tokenizer", SimpleNamespace())
    first, second = (tv.SentenceTransformersEncoder(name) for name in ("here", "there"))
    assert first.digest == second.digest
    model.weight = 2.0
    assert tv.SentenceTransformersEncoder("here").digest != first.digest


@pytest.mark.parametrize("method", ["encode", "tokenizer"])
def test_a_model_that_fails_quotes_nothing(model, monkeypatch, method):
    encoder = tv.SentenceTransformersEncoder("folder", at_once=4)

    def failing(self, texts, **options):
        raise RuntimeError(texts[0])

    monkeypatch.setattr(model, method, failing)
    with pytest.raises(tv.InvalidInputError, match="folder failed with RuntimeError") as caught:
        encoder.encode(["secret"])
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_nothing_is_downloaded_and_what_is_missing_is_told(model, monkeypatch):
    with pytest.raises(tv.InvalidInputError, match="download it first"):
        tv.SentenceTransformersEncoder("nowhere")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(tv.MissingDependencyError, match="pip install sentence-transformers"):
        tv.SentenceTransformersEncoder("folder")
