"""Recoders: what the network computes, bit for bit the same in any batch, in a file that can't be edited unseen."""

from __future__ import annotations

import io
import pickle
from itertools import pairwise

import numpy as np
import pytest

import textveil as tv


def lengths(texts):
    return [[len(text), text.count("e"), 1.0] for text in texts]


@pytest.fixture
def encoder():
    return tv.FunctionEncoder(lengths, dimension=3, name="lengths")


def network(encoder, *sizes):
    rng = np.random.default_rng(0)
    matrices = [rng.normal(size=pair) for pair in pairwise(sizes)]
    return tv.Recoder(matrices, [rng.normal(size=size) for size in sizes[1:]], encoder)


def plain(recoder, vectors):
    """The definition, in double precision."""
    numbers = np.asarray(vectors)
    for layer, (matrix, offset) in enumerate(zip(recoder.matrices, recoder.offsets, strict=True)):
        numbers = (np.maximum(numbers, 0) if layer else numbers) @ matrix.astype(float) + offset
    return numbers / np.linalg.norm(numbers, axis=1, keepdims=True)


@pytest.mark.parametrize("sizes", [(384, 384, 384, 384, 384), (50, 7), (3, 5, 2)])
def test_recoding_is_what_its_definition_says(sizes):
    recoder = network("", *sizes)
    vectors = np.random.default_rng(1).normal(size=(40, sizes[0]))
    found = recoder.recode(vectors)
    assert found == pytest.approx(plain(recoder, vectors), abs=1e-5)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(40), abs=1e-12)
    assert (recoder.takes, recoder.dimension) == (sizes[0], sizes[-1])


def test_a_vector_does_not_depend_on_its_batch():
    recoder = network("", 384, 100, 384)
    vectors = np.random.default_rng(2).normal(size=(67, 384)) / 20
    together = recoder.recode(vectors)
    for row in range(67):
        assert (recoder.recode(vectors[row])[0] == together[row]).all()
    assert (recoder.recode(vectors[::-1].copy()) == together[::-1]).all()


def test_no_vector_makes_numbers_that_are_none():
    recoder = network("", 3, 4, 3)
    assert np.isfinite(recoder.recode(np.array([[1e300, -1e300, 0.0], [0.0, 0.0, 0.0]]))).all()
    nothing = tv.Recoder([np.zeros((3, 2))], [np.zeros(2)], "")
    assert (nothing.recode(np.ones((2, 3))) == 0).all()
    with pytest.raises(tv.InvalidInputError, match="finite"):
        recoder.recode([[np.nan, 0.0, 0.0]])
    with pytest.raises(tv.InvalidInputError, match=r"\(3,\)"):
        recoder.recode(np.full((2, 4), 0.777))


def test_a_recoded_encoder_is_an_encoder_and_knows_its_own(encoder):
    recoder = network(encoder.digest, 3, 5, 4)
    recoded = tv.Recoded(encoder, recoder)
    assert recoded.dimension == 4
    assert (recoded.encode(["one", "three"]) == recoder.recode(lengths(["one", "three"]))).all()
    assert recoder.digest in str(recoded.spec())
    assert recoded.digest != tv.Recoded(encoder, network(encoder.digest, 3, 4)).digest
    with pytest.raises(tv.InvalidInputError, match="another encoder"):
        tv.Recoded(tv.FunctionEncoder(lengths, dimension=3, name="others"), recoder)


def test_documents_are_released_through_a_recoder(encoder):
    recoded = tv.Recoded(encoder, network(encoder.digest, 3, 5, 4))
    public = ["A tree. Green leaves everywhere.", "Stone.", "Sea and see."]
    candidates = tv.Candidates(tv.SentenceMeans(recoded).encode(public), public)
    mechanism = tv.DeepCandidate(candidates, epsilon=5.0, utility="inner-product")
    assert tv.DocumentEmbedder(mechanism, encoder=recoded).release("One. Two. Three.").text in public


def test_saving_and_loading_gives_the_same(encoder, tmp_path):
    recoder = network(encoder.digest, 3, 5, 4)
    recoder.save(tmp_path / "recoder.npz")
    loaded = tv.Recoder.load(tmp_path / "recoder.npz")
    assert (loaded.digest, loaded.encoder) == (recoder.digest, encoder.digest)
    assert (loaded.recode(np.eye(3)) == recoder.recode(np.eye(3))).all()
    assert [file.name for file in tmp_path.iterdir()] == ["recoder.npz"]
    copy = pickle.loads(pickle.dumps(recoder))  # noqa: S301
    assert copy.digest == recoder.digest
    with pytest.raises(ValueError, match="read-only"):
        copy.matrices[0][0, 0] = 1.0


@pytest.mark.parametrize("part", ["matrix0", "offset1", "head"])
def test_a_file_that_was_edited_is_refused(encoder, tmp_path, part):
    path = tmp_path / "recoder.npz"
    network(encoder.digest, 3, 5, 4).save(path)
    with np.load(path) as content:
        parts = {name: content[name].copy() for name in content.files}
    if part == "head":
        parts["head"] = np.frombuffer(
            parts["head"].tobytes().replace(encoder.digest.encode(), b"0" * 64), dtype=np.uint8
        )
    else:
        parts[part].flat[0] = np.nextafter(parts[part].flat[0], np.float32(9))
    content = io.BytesIO()
    np.savez(content, **parts)
    path.write_bytes(content.getvalue())
    with pytest.raises(tv.CertificateError, match="not as it was saved"):
        tv.Recoder.load(path)


def test_files_that_hold_no_recoder_are_refused(tmp_path):
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "other.npz", words=np.zeros(3))
    for name, message in (("nothing.npz", "no file"), ("text.npz", "is no recoder"), ("other.npz", "is no recoder")):
        with pytest.raises(tv.InvalidInputError, match=message):
            tv.Recoder.load(tmp_path / name)


@pytest.mark.parametrize(
    ("matrices", "offsets", "message"),
    [
        ([], [], "sizes that fit"),
        ([np.ones((3, 2))], [np.ones(3)], "sizes that fit"),
        ([np.ones(3)], [np.ones(3)], "sizes that fit"),
        ([np.ones((3, 2)), np.ones((3, 2))], [np.ones(2), np.ones(2)], "sizes that fit"),
        ([np.ones((3, 2))], [], "sizes that fit"),
        ([np.ones((3, 2))], [np.ones(2)] * 2, "sizes that fit"),
        ([np.full((3, 2), np.nan)], [np.ones(2)], "finite"),
    ],
)
def test_weights_that_do_not_fit_are_refused(matrices, offsets, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        tv.Recoder(matrices, offsets, "")
