"""A model is one checked file; what it reads and writes follows its policy."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import textveil as tv
from textveil.learn.autoencoder import AutoEncoder
from textveil.learn.autoencoder.autoencoder import _draws
from textveil.learn.autoencoder.model_files import content_digest, pack
from textveil.learn.autoencoder.requests import INTENTS, requests


def test_a_saved_model_is_the_same_again(small, tmp_path):
    small.save(tmp_path / "model.npz")
    again = AutoEncoder.load(tmp_path / "model.npz")
    assert again.digest == small.digest
    assert (again.encode(["play jazz", ""]) == small.encode(["play jazz", ""])).all()
    assert repr(again) == repr(small)
    assert again.epsilons == (4.0, 8.0)


def edited(path, change):
    """The file with one of its members changed and everything else as it was."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    change(members)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, member in members.items():
            file.writestr(name, member)
    path.write_bytes(content.getvalue())


def one_bit(members):
    member = bytearray(members["latent.bias.npy"])
    member[-1] ^= 1
    members["latent.bias.npy"] = bytes(member)


def another_word(members):
    members["table.npy"] = members["table.npy"].replace(b"ohio", b"iowa")


def another_clip(members):
    members["head.npy"] = members["head.npy"].replace(b'"clip": 2.0', b'"clip": 9.0')


@pytest.mark.parametrize("change", [one_bit, another_word, another_clip])
def test_a_model_that_was_changed_is_refused(small, tmp_path, change):
    path = tmp_path / "model.npz"
    small.save(path)
    edited(path, lambda members: None)
    AutoEncoder.load(path)
    edited(path, change)
    with pytest.raises(tv.CertificateError, match="checksum"):
        AutoEncoder.load(path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nonsense", b"\x93NUMPY", b"hello"])
def test_what_is_not_a_model_is_refused(tmp_path, content):
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(tv.InvalidInputError, match="not an auto-encoder"):
        AutoEncoder.load(path)


def test_another_array_file_and_a_pickle_are_refused(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    np.savez(tmp_path / "pickled.npz", head=np.array([{"a": 1}], dtype=object))
    for name in ("other.npz", "pickled.npz"):
        with pytest.raises(tv.InvalidInputError, match="not an auto-encoder"):
            AutoEncoder.load(tmp_path / name)


def test_a_model_of_another_format_is_named(small, tmp_path):
    path = tmp_path / "model.npz"
    small.save(path)
    edited(path, lambda members: members.update({"head.npy": members["head.npy"].replace(b"encoder 1", b"encoder 9")}))
    with pytest.raises(tv.InvalidInputError, match="auto-encoder 9"):
        AutoEncoder.load(path)


def test_a_configuration_that_makes_no_sense_is_refused(small, tmp_path):
    for config in ({}, {"shape": {"legs": 4}, "length": 3, "about": {}}):
        (tmp_path / "model.npz").write_bytes(pack(config, small.table.words, small._weights))
        with pytest.raises(tv.InvalidInputError, match="configuration"):
            AutoEncoder.load(tmp_path / "model.npz")


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"about": {}}, "about must have"),
        ({"about": 5}, "about must have"),
        ({"about": {"noise": "privunit", "epsilon": [4.0]}}, "about must have"),
        ({"about": {"noise": "privunit", "epsilon": ["4", "8"]}}, "epsilon in about must be"),
        ({"length": 10**9}, "length must be at most 4,096"),
        ({"length": "20"}, "length must be a number"),
    ],
)
def test_a_file_that_fits_its_checksum_and_makes_no_sense_is_refused(small, tmp_path, changed, told):
    path = tmp_path / "model.npz"
    path.write_bytes(pack({**small._config, **changed}, small.table.words, small._weights))
    with pytest.raises(tv.InvalidInputError, match=told):
        AutoEncoder.load(path)


def test_sizes_are_whole_numbers_however_they_were_written(small, tmp_path):
    shape = {**small._config["shape"], "latent": float(small.dimension), "clip": int(small.clip)}
    (tmp_path / "model.npz").write_bytes(pack({**small._config, "shape": shape}, small.table.words, small._weights))
    again = AutoEncoder.load(tmp_path / "model.npz")
    assert again.digest == small.digest
    assert (again.encode(["play jazz"]) == small.encode(["play jazz"])).all()


def test_nothing_that_the_digest_stands_for_can_be_changed(small):
    digest = small.digest
    for thing, name in ((small, "beam"), (small, "shape"), (small.table, "length"), (small.shape, "clip")):
        with pytest.raises(AttributeError):
            setattr(thing, name, 3)
    small.about["epsilon"].append(9.0)
    with pytest.raises(ValueError, match="read-only"):
        small._weights["latent.bias"][0] = 1
    assert content_digest({**small._config, "beam": small.beam}, small.table.words, small._weights) == digest


def test_weights_of_another_shape_or_without_end_are_refused(parts):
    shape, table, weights = parts
    with pytest.raises(tv.InvalidInputError, match="do not belong"):
        AutoEncoder(shape, table, {**weights, "latent.bias": np.ones(9, dtype=np.float32)}, about={})
    with pytest.raises(tv.InvalidInputError, match="floating-point"):
        AutoEncoder(shape, table, {**weights, "latent.bias": np.ones(3, dtype=complex)}, about={})
    with pytest.raises(tv.InvalidInputError, match="finite"):
        AutoEncoder(shape, table, {**weights, "latent.bias": np.full(3, 1e9, dtype=np.float32)}, about={})


def test_how_it_writes_is_part_of_what_it_is(parts, small):
    others = [AutoEncoder(*parts, about=small.about, beam=beam) for beam in (1, 4)]
    assert len({small.digest, *(other.digest for other in others)}) == 3
    with pytest.raises(tv.InvalidInputError, match="beam"):
        AutoEncoder(*parts, about={}, beam=-1)


def test_a_vector_outside_the_ball_is_read_as_the_nearest_inside(small):
    drawn = np.random.default_rng(3).normal(size=(60, small.dimension))
    directions = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    outside, inside = 1.5 * small.clip * directions, 0.5 * small.clip * directions
    # Twice as long is the same direction to the last bit.
    assert small.decode(2 * outside) == small.decode(outside)
    assert small.decode(outside) != list(map(small.table.text, small._written(outside)))
    assert small.decode(inside) == list(map(small.table.text, small._written(inside)))


def test_what_is_written_depends_on_the_vector_alone(parts, small):
    vectors = np.random.default_rng(0).normal(size=(40, 3))
    for codec in (small, AutoEncoder(*parts, about=small.about, beam=1)):
        together = codec.decode(vectors)
        assert codec.decode(vectors[::-1]) == together[::-1]
        assert [codec.decode(vector[None])[0] for vector in vectors] == together
    assert len(set(small.decode(vectors))) > 10


def test_draws_are_uniform_and_differ_from_vector_to_vector():
    """Kolmogorov's distance of 20,000 numbers; above 2.8 / sqrt(n) in one of 3 million."""
    draws = np.sort(_draws(np.random.default_rng(1).normal(size=(2000, 3)), 10).ravel())
    assert np.abs(draws - np.arange(len(draws)) / len(draws)).max() * np.sqrt(len(draws)) < 2.8
    assert np.abs(draws**1.3 - np.arange(len(draws)) / len(draws)).max() * np.sqrt(len(draws)) > 2.8


def test_the_model_that_comes_with_textveil_keeps_what_an_utterance_is_about():
    codec = tv.AutoEncoder.default(beam=1)
    said = [each.text for each in requests(200, seed=9)]
    again = codec.decode(codec.encode(said))
    shared = [len(set(a.split()) & set(b.split())) / len(set(a.split())) for a, b in zip(said, again, strict=True)]
    assert np.mean(shared) > 0.4
    assert codec.epsilons == (2.0, 12.0)


def test_the_model_that_comes_with_textveil_is_small_and_checked(monkeypatch):
    from importlib.resources import files

    from textveil.learn.autoencoder import autoencoder

    assert files("textveil.learn.autoencoder").joinpath("data", autoencoder.SHIPPED).stat().st_size < 1_500_000
    monkeypatch.setattr(autoencoder, "_SHIPPED_SHA256", "0" * 64)
    with pytest.raises(tv.CertificateError, match="reinstall"):
        tv.AutoEncoder.default()


def test_rewriting_loads_no_torch():
    code = (
        "import sys, textveil as tv; tv.Adept(tv.AutoEncoder.default(), epsilon=8).release('call maria');"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_made_up_requests_are_the_same_each_time_and_have_every_intent():
    made = requests(400, seed=3)
    assert made == requests(400, seed=3)
    assert made != requests(400, seed=4)
    assert {each.intent for each in made} == set(INTENTS)
    assert not any("{" in each.text for each in made)
    assert json.dumps([each.text for each in made]).isascii()


def test_a_file_that_is_not_there_is_named_with_what_makes_one(tmp_path):
    with pytest.raises(tv.InvalidInputError, match=r"no file .*model\.npz.*train autoencoder"):
        AutoEncoder.load(tmp_path / "model.npz")
