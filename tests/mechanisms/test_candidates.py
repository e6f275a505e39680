"""Public candidates: rounded, closed to writing, saved and loaded whole."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import textveil as tv


@pytest.fixture
def few():
    return tv.Candidates(np.random.default_rng(0).normal(size=(5, 3)), ["one", "two\nlines", "drei ✓", "", "five"])


def test_vectors_are_rounded_to_the_lattice_and_closed(few):
    steps = few.vectors.astype(np.float64) * 2**20
    assert (steps == np.rint(steps)).all()
    with pytest.raises(ValueError, match="read-only"):
        few.vectors[0, 0] = 1.0


def test_a_candidate_has_number_vector_and_text(few):
    chosen = few[2]
    assert (chosen.index, chosen.text) == (2, "drei ✓")
    assert (chosen.vector == few.vectors[2]).all()
    assert tv.Candidates(few.vectors)[1].text is None
    assert (len(few), few.dimension) == (5, 3)
    assert "5 of dimension 3, with texts" in repr(few)


def test_the_digest_sees_vectors_and_texts_but_not_the_precision(few):
    vectors, texts = few.vectors, few.texts
    assert tv.Candidates(vectors.astype(np.float64), list(texts)).digest == few.digest
    assert tv.Candidates(-vectors, texts).digest != few.digest
    assert tv.Candidates(vectors, [*texts[:4], "six"]).digest != few.digest
    assert tv.Candidates(vectors).digest != few.digest
    assert tv.Candidates([[0.0]]).digest == tv.Candidates([[-0.0]]).digest


@pytest.mark.parametrize("texts", [True, False])
def test_saving_and_loading_gives_the_same(few, tmp_path, texts):
    path = tmp_path / "public.npz"
    given = few if texts else tv.Candidates(few.vectors)
    given.save(path)
    loaded = tv.Candidates.load(path)
    assert loaded.digest == given.digest
    assert loaded.texts == given.texts
    assert [file.name for file in tmp_path.iterdir()] == ["public.npz"]


def test_a_copy_is_closed_too(few):
    copy = pickle.loads(pickle.dumps(few))  # noqa: S301
    assert copy.digest == few.digest
    assert not copy.vectors.flags.writeable


def test_files_that_hold_none_are_refused(tmp_path):
    with pytest.raises(tv.InvalidInputError, match="no file"):
        tv.Candidates.load(tmp_path / "nothing.npz")
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "other.npz", words=np.zeros(3))
    np.save(tmp_path / "plain.npy", np.zeros((2, 2)))
    for name in ("text.npz", "other.npz", "plain.npy"):
        with pytest.raises(tv.InvalidInputError, match="holds no candidates"):
            tv.Candidates.load(tmp_path / name)


@pytest.mark.parametrize(
    ("vectors", "texts", "message"),
    [
        (np.zeros(3), None, "shape"),
        (np.zeros((0, 3)), None, "at least one"),
        (np.zeros((3, 0)), None, "at least one"),
        ([["a"]], None, "numbers"),
        ([[0.0], [np.nan]], None, "candidate 1 must be finite"),
        ([[np.inf]], None, "candidate 0"),
        ([[2.0**32]], None, "2\\^32"),
        ([[1e-9]], None, "lattice step"),
        ([[0.0]], ["a", "b"], "2 for 1"),
        ([[0.0]], "a", "list of str"),
        ([[0.0]], [1], "list of str"),
    ],
)
def test_bad_candidates_are_refused(vectors, texts, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        tv.Candidates(vectors, texts)
