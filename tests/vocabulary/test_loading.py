import bz2
import gzip
import io
import lzma
import pickle
import sys
import types

import numpy as np
import pytest

from textveil.errors import CertificateError, InvalidInputError, MissingDependencyError
from textveil.spaces import Euclidean
from textveil.vocabulary import Vocabulary, reading

WORDS = ["the", "new york", ". . .", "42", "naïve", "a\u00a0b", "unk", "\u0085x", "東京"]
VECTORS = np.random.default_rng(0).standard_normal((len(WORDS), 7)).astype(np.float32)


def glove(end="\n", words=WORDS, vectors=VECTORS):
    rows = zip(words, vectors, strict=True)
    return "".join(f"{word} {' '.join(repr(float(x)) for x in row)}{end}" for word, row in rows).encode()


def word2vec(end=" \n"):
    return f"{len(WORDS)} 7\n".encode() + glove(end)


def word2vec_binary(end=b"\n", words=WORDS, vectors=VECTORS, header=None):
    header = header or f"{len(words)} {vectors.shape[1]}"
    names = [word.replace(" ", "_").encode() for word in words]
    rows = zip(names, vectors.astype("<f4"), strict=True)
    return header.encode() + b"\n" + b"".join(name + b" " + row.tobytes() + end for name, row in rows)


@pytest.fixture
def wanted():
    return Vocabulary(WORDS, VECTORS)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("content", [glove(), glove("\r\n"), word2vec(), word2vec("\r\n"), glove().strip()])
def test_text_tables_load_whatever_the_name_says(tmp_path, wanted, content, compress):
    path = tmp_path / "table.bin"
    path.write_bytes(compress(content))
    assert Vocabulary.load(path) == wanted


def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path, wanted):
    path = tmp_path / "table.txt"
    path.write_bytes(b"\xef\xbb\xbf" + glove())
    assert Vocabulary.load(path) == wanted


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_word2vec_binary_loads(tmp_path, end, compress):
    path = tmp_path / "table.txt"
    path.write_bytes(compress(word2vec_binary(end)))
    assert Vocabulary.load(path) == Vocabulary([word.replace(" ", "_") for word in WORDS], VECTORS)


def test_tables_longer_than_every_buffer_load(tmp_path):
    words = [f"w{number}" for number in range(9000)]
    vectors = np.random.default_rng(1).standard_normal((9000, 40)).astype(np.float32)
    wanted = Vocabulary(words, vectors)
    text, binary = tmp_path / "table.txt", tmp_path / "table.bin"
    text.write_bytes(glove(words=words, vectors=vectors))
    binary.write_bytes(word2vec_binary(words=words, vectors=vectors))
    assert Vocabulary.load(text) == wanted
    assert Vocabulary.load(binary) == wanted
    assert Vocabulary.load(binary, limit=5000) == Vocabulary(words[:5000], vectors[:5000])


@pytest.mark.parametrize("content", [glove(), word2vec(), word2vec_binary()])
def test_limit_reads_the_first_words(tmp_path, content):
    path = tmp_path / "table"
    path.write_bytes(content)
    assert len(Vocabulary.load(path, limit=3)) == 3
    assert Vocabulary.load(path, limit=4, unknown="42").unknown_id == 3
    with pytest.raises(InvalidInputError, match="limit"):
        Vocabulary.load(path, limit=0)


def test_format_settles_what_content_leaves_open(tmp_path):
    path = tmp_path / "table.txt"
    path.write_text("2 1\nthe 5\nof 6\n")
    assert Vocabulary.load(path).words == ("the", "of")
    assert Vocabulary.load(path, format="glove").words == ("2", "the", "of")
    with pytest.raises(InvalidInputError, match="format must be one of glove"):
        Vocabulary.load(path, format="excel")


def test_duplicates_are_refused_unless_the_first_is_wanted(tmp_path):
    path = tmp_path / "table.txt"
    path.write_text("a 1 2\nb 3 4\na 5 6\n")
    with pytest.raises(InvalidInputError, match=r"table.txt, line 3: the word 'a' occurs twice.*duplicates='first'"):
        Vocabulary.load(path)
    assert Vocabulary.load(path, duplicates="first") == Vocabulary(["a", "b"], [[1, 2], [3, 4]])
    with pytest.raises(InvalidInputError, match="duplicates must be"):
        Vocabulary.load(path, duplicates="last")


def test_npz_with_words_inside_loads(tmp_path, wanted):
    for words in (np.array(WORDS), np.array([word.encode() for word in WORDS])):
        np.savez(tmp_path / "table.npz", words=words, vectors=VECTORS)
        assert Vocabulary.load(tmp_path / "table.npz") == wanted
    assert len(Vocabulary.load(tmp_path / "table.npz", limit=2)) == 2


@pytest.mark.parametrize("name", ["t.f16.words.txt", "t.words.txt.gz", "t.f16.txt", "words.txt.xz"])
@pytest.mark.parametrize("ending", ["npz", "npy"])
def test_words_may_stand_in_a_file_beside_the_vectors(tmp_path, name, ending):
    path = tmp_path / f"t.f16.{ending}"
    half = VECTORS.astype(np.float16)
    np.save(path, half) if ending == "npy" else np.savez(path, vectors=half, rank=np.arange(len(half)))
    content = "\n".join(WORDS).encode() + b"\n"
    compress = {".gz": gzip.compress, ".xz": lzma.compress}.get(name[-3:], bytes)
    (tmp_path / name).write_bytes(compress(content))
    assert Vocabulary.load(path) == Vocabulary(WORDS, half)


def test_missing_words_are_asked_for(tmp_path):
    np.save(tmp_path / "table.npy", VECTORS)
    with pytest.raises(InvalidInputError, match=r"table\.words\.txt"):
        Vocabulary.load(tmp_path / "table.npy")
    (tmp_path / "words.txt").write_text("only\none\n")
    with pytest.raises(InvalidInputError, match="9 vectors but 2 words"):
        Vocabulary.load(tmp_path / "table.npy")


def test_a_saved_vocabulary_comes_back_as_it_was(tmp_path):
    odd = Vocabulary(["a\nb", "c\0", "d", "x" * 10_000], VECTORS[:4] * 30, "d")
    odd.save(tmp_path / "saved")
    again = Vocabulary.load(tmp_path / "saved")
    assert again == odd
    assert again.words == odd.words
    assert Vocabulary.load(tmp_path / "saved", limit=2).words == ("a\nb", "c\0", "d")
    assert Vocabulary.load(tmp_path / "saved", unknown="c\0").unknown_id == 1
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


def test_saving_into_a_missing_folder_leaves_nothing(tmp_path, wanted):
    with pytest.raises(OSError, match="No such file"):
        wanted.save(tmp_path / "missing" / "saved.npz")
    assert not list(tmp_path.iterdir())


def test_an_edited_save_is_refused(tmp_path, wanted):
    wanted.save(tmp_path / "saved.npz")
    content = dict(np.load(tmp_path / "saved.npz"))
    edited = content["vectors"] + 1
    np.savez(tmp_path / "edited.npz", **{**content, "vectors": edited})
    with pytest.raises(CertificateError, match="not the one that was saved"):
        Vocabulary.load(tmp_path / "edited.npz")
    content.pop("unknown")
    np.savez(tmp_path / "edited.npz", **content)
    with pytest.raises(InvalidInputError, match="missing"):
        Vocabulary.load(tmp_path / "edited.npz")


def test_a_save_from_another_space_asks_for_that_space(tmp_path):
    class Taxicab(Euclidean):
        metric = "taxicab distance"

    saved = Vocabulary(WORDS, VECTORS, space=Taxicab(7))
    saved.save(tmp_path / "saved.npz")
    with pytest.raises(InvalidInputError, match="taxicab distance"):
        Vocabulary.load(tmp_path / "saved.npz")
    assert Vocabulary.load(tmp_path / "saved.npz", space=Taxicab(7)) == saved


class Keyed:
    index_to_key = WORDS
    vectors = VECTORS


def test_gensim_objects_are_taken_as_they_are(wanted):
    assert Vocabulary.from_gensim(Keyed()) == wanted
    assert Vocabulary.from_gensim(types.SimpleNamespace(wv=Keyed())) == wanted
    assert len(Vocabulary.from_gensim(Keyed(), limit=2)) == 2
    with pytest.raises(InvalidInputError, match="KeyedVectors"):
        Vocabulary.from_gensim({"a": 1})


def test_gensim_files_are_read_by_gensim(tmp_path, wanted, monkeypatch):
    path = tmp_path / "table.kv"
    path.write_bytes(pickle.dumps("stands for a gensim file"))
    models = types.ModuleType("gensim.models")
    models.KeyedVectors = types.SimpleNamespace(load=lambda name: Keyed() if name == str(path) else None)
    monkeypatch.setitem(sys.modules, "gensim", types.ModuleType("gensim"))
    monkeypatch.setitem(sys.modules, "gensim.models", models)
    assert Vocabulary.load(path) == wanted


def test_without_gensim_the_command_to_get_it_is_named(tmp_path, monkeypatch):
    path = tmp_path / "table.kv"
    path.write_bytes(pickle.dumps("stands for a gensim file"))
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(MissingDependencyError, match=r"pip install textveil\[gensim\]"):
        Vocabulary.load(path)


def test_real_gensim_files_load(tmp_path, wanted):
    gensim = pytest.importorskip("gensim")
    keyed = gensim.models.KeyedVectors(7)
    keyed.add_vectors(WORDS, VECTORS)
    keyed.save(str(tmp_path / "table.kv"))
    assert Vocabulary.load(tmp_path / "table.kv") == wanted


def test_a_long_load_shows_its_progress_on_a_terminal(tmp_path, wanted, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    path = tmp_path / "table.bin"
    path.write_bytes(word2vec_binary())
    monkeypatch.setattr(reading, "_PATIENCE", 0.0)
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        Vocabulary.load(path)
        assert ("table.bin" in stream.getvalue()) == shown
