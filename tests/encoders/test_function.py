from __future__ import annotations

import traceback

import numpy as np
import pytest

import textveil as tv
from textveil.hashing import Packed
from textveil.jobs import plan

PRIVATE = [b"a secret", b"another secret, longer"]


def encoder_of(function, **options):
    return tv.FunctionEncoder(function, **{"dimension": 2, "name": "mine", **options})


def test_a_function_is_called_text_by_text_or_in_batches():
    calls = []

    def lengths(texts):
        calls.append(len(texts))
        return [[len(text), 1] for text in texts]

    assert np.array_equal(encoder_of(lengths).encode(Packed.of(PRIVATE)), [[8, 1], [22, 1]])
    assert calls == [1, 1]
    batched = encoder_of(lengths, at_once=8)
    calls.clear()
    assert batched.encode(Packed.of(PRIVATE * 5)).shape == (10, 2)
    assert calls == [8, 2]
    assert batched.digest == encoder_of(lengths).digest != encoder_of(lengths, name="yours").digest


def test_a_function_whose_vectors_depend_on_the_batch_is_refused():
    def padded(texts):
        longest = max(map(len, texts))
        return [[len(text), 1e-9 * longest] for text in texts]

    encoder_of(padded)
    with pytest.raises(tv.InvalidInputError, match="leave at_once=1"):
        encoder_of(padded, at_once=4)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([[1.0, 2.0, 3.0]], "shape \\(1, 3\\) for 1 texts"),
        ([1.0, 2.0], "shape \\(2,\\)"),
        ([["a", "b"]], "numbers of shape \\(1, 2\\)"),
        ([[np.nan, 1.0]], "a NaN or an infinity"),
    ],
)
def test_wrong_answers_are_told_without_the_text(answer, said):
    with pytest.raises(tv.InvalidInputError, match=said) as caught:
        encoder_of(lambda texts: answer).encode(Packed.of(PRIVATE))
    assert "secret" not in str(caught.value)


def test_a_function_that_fails_quotes_nothing(tmp_path):
    def failing(texts):
        raise KeyError(texts[0])

    embedder = tv.TextEmbedder(tv.PrivUnit(epsilon=1.0, dimension=2), encoder=encoder_of(failing))
    with pytest.raises(tv.InvalidInputError, match="failed with KeyError") as caught:
        embedder.release([PRIVATE[0].decode()])
    (tmp_path / "in.txt").write_bytes(PRIVATE[0])
    with pytest.raises(tv.InvalidInputError, match=r"record 1 of the input: .* failed with KeyError") as told:
        plan(tmp_path / "in.txt", tmp_path / "out.parquet", embedder).run()
    for error in (caught.value, told.value):
        assert PRIVATE[0].decode() not in "".join(traceback.format_exception(error))


def test_it_serves_an_embedder():
    embedder = tv.TextEmbedder(tv.PrivUnit(epsilon=2.0, dimension=2), encoder=encoder_of(lambda texts: [[1.0, 0.0]]))
    assert embedder.release(["a", "b"]).shape == (2, 2)
    assert "the vector that mine gives it" in str(embedder.guarantee) + embedder.encoder.meaning


@pytest.mark.parametrize("options", [{"dimension": 0}, {"at_once": 0}, {"function": 3}])
def test_bad_options_are_refused(options):
    with pytest.raises(tv.InvalidInputError, match=next(iter(options))):
        encoder_of(**{"function": len, **options})
