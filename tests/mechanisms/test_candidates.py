"""Public candidates: rounded, closed to writing, saved and loaded whole."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
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


LINES = ["The first one.", "Zwei ✓, with a comma", "the third", "The first one."]


def lengths(texts):
    return [[len(text), text.count("e"), 1.0] for text in texts]


@pytest.fixture
def encoder():
    return tv.FunctionEncoder(lengths, dimension=3, name="lengths")


def write(path, texts):
    """Write texts in the format of the extension, blank and missing ones among them where it can hold them."""
    if path.suffix == ".txt":
        path.write_text("\n".join([*texts[:1], "", "   ", *texts[1:]]) + "\n", encoding="utf-8")
    elif path.suffix == ".csv":
        path.write_text("id,text\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(texts)), encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps({"id": 1, "text": text}) + "\n" for text in texts), encoding="utf-8")
    else:
        pq.write_table(pa.table({"id": list(range(len(texts) + 1)), "text": [*texts, None]}), path)


@pytest.mark.parametrize("name", ["public.txt", "public.csv", "public.jsonl", "public.parquet"])
def test_texts_of_files_get_vectors_and_are_kept(tmp_path, encoder, name):
    path = tmp_path / name
    write(path, LINES)
    loaded = tv.Candidates.load(path, encoder, column=None if name == "public.txt" else "text")
    assert list(loaded.texts) == LINES
    assert (loaded.vectors == np.array(lengths(LINES))).all()
    loaded.save(tmp_path / "saved.npz")
    assert tv.Candidates.load(tmp_path / "saved.npz", encoder).digest == loaded.digest


def test_bare_vectors_are_loaded(tmp_path, few):
    np.save(tmp_path / "plain.npy", few.vectors)
    np.savez(tmp_path / "two.npz", ids=np.arange(5), points=few.vectors)
    table = pa.table({"id": list(range(5)), "vector": few.vectors.tolist()})
    pq.write_table(table, tmp_path / "table.parquet")
    bare = tv.Candidates(few.vectors).digest
    assert tv.Candidates.load(tmp_path / "plain.npy").digest == bare
    assert tv.Candidates.load(tmp_path / "two.npz", column="points").digest == bare
    assert tv.Candidates.load(tmp_path / "table.parquet", column="vector").digest == bare


def test_saved_candidates_may_have_any_name(tmp_path, few):
    few.save(tmp_path / "public")
    assert tv.Candidates.load(tmp_path / "public").digest == few.digest
    (tmp_path / "notes.md").write_text("one line\nanother\n")
    texts = tv.Candidates.load(tmp_path / "notes.md", tv.FunctionEncoder(lengths, dimension=3, name="l"), format="txt")
    assert list(texts.texts) == ["one line", "another"]


def test_files_that_hold_none_are_refused(tmp_path, encoder):
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "other.npz", words=np.zeros(3))
    (tmp_path / "blank.txt").write_text("\n \n")
    (tmp_path / "texts.txt").write_text("one\n")
    (tmp_path / "latin.txt").write_bytes(b"one\ncaf\xe9\n")
    (tmp_path / "half.jsonl").write_bytes(b'{"text": "\\ud800"}\n')
    np.save(tmp_path / "none.npy", np.zeros((0, 3)))
    for name, given, message in (
        ("nothing.npz", None, "no file"),
        ("text.npz", None, "holds no candidates"),
        ("other.npz", None, "plain table of real numbers"),
        ("blank.txt", encoder, "holds no text"),
        ("texts.txt", None, "give an encoder"),
        ("latin.txt", encoder, "one of the records 1 to 2 is not UTF-8"),
        ("half.jsonl", encoder, "one of the records 1 to 1 is not UTF-8"),
        ("none.npy", None, "at least one"),
    ):
        with pytest.raises(tv.InvalidInputError, match=message):
            tv.Candidates.load(tmp_path / name, given, column="text" if name == "half.jsonl" else None)


def test_vectors_of_another_dimension_than_the_encoder_gives_are_refused(tmp_path, encoder):
    np.save(tmp_path / "plain.npy", np.ones((2, 4)))
    with pytest.raises(tv.InvalidInputError, match="4 numbers each, but the encoder gives 3"):
        tv.Candidates.load(tmp_path / "plain.npy", encoder)


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
        ([[0.0]], ["\ud800"], "half a surrogate pair"),
    ],
)
def test_bad_candidates_are_refused(vectors, texts, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        tv.Candidates(vectors, texts)
