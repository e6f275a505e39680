"""--device: the same words, found elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import textveil as tv
from textveil.cli import app
from textveil.cli.engine import where_of
from textveil.cli.wording import in_options
from textveil.errors import InvalidInputError

torch = pytest.importorskip("torch")


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    points = 4 * generator.standard_normal((6, 4))[np.arange(700) % 6] + generator.standard_normal((700, 4))
    tv.Vocabulary([f"word{n}" for n in range(700)], points, unknown="word0").save("table.npz")
    lines = [" ".join(f"word{n}" for n in row) for row in generator.integers(0, 800, (200, 12))]
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "key").write_bytes(bytes(range(32)))
    (tmp_path / "key").chmod(0o600)
    return tmp_path


@pytest.mark.parametrize(
    "mechanism", [("exponential",), ("nearest",), ("nearest", "--precision", "fast")], ids="-".join
)
def test_texts_are_rewritten_as_without_a_device(folder, mechanism):
    written = []
    for device in ((), ("--device", "cpu")):
        given = ("--vocabulary", "table.npz", "--epsilon", "3", "--key-file", "key", "--overwrite", "-o", "out.txt")
        done = run("rewrite", "in.txt", *given, "--mechanism", *mechanism, *device)
        assert done.exit_code == 0, done.exception
        written.append((folder / "out.txt").read_text())
    assert written[0] == written[1]
    assert written[0] != (folder / "in.txt").read_text()


@pytest.mark.parametrize("command", [("explain", "word5"), ("calibrate",)])
def test_what_is_said_of_words_is_the_same(folder, command):
    said = [
        run(*command, "--vocabulary", "table.npz", "--epsilon", "3", *device) for device in ((), ("--device", "cpu"))
    ]
    assert [done.exit_code for done in said] == [0, 0]
    assert said[0].stdout == said[1].stdout


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (("--device", "abacus"), '--device must be one of torch, such as "cpu" or "cuda" (got \'abacus\')'),
        (("--device", "cpu", "--vocabulary", "hyperbolic"), "--device would do nothing: hyperbolic distances"),
        (("--device", "cpu", "--mechanism", "adept"), "--device"),
        (("--precision", "fast"), "--precision would do nothing"),
        (("--mechanism", "nearest", "--radius", "2"), "--radius would do nothing"),
        (("--mechanism", "nearest", "--weights", "none"), "--weights would do nothing"),
        (("--device", "cpu", "--precision", "rough", "--mechanism", "nearest"), "--precision must be"),
    ],
)
def test_what_makes_no_sense_is_refused(folder, given, reason):
    done = run("rewrite", "in.txt", "-o", "out.txt", "--epsilon", "3", *given)
    assert done.exit_code != 0
    assert reason in in_options(str(done.exception))
    assert not (folder / "out.txt").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is one")
def test_a_gpu_that_is_not_there_is_refused_with_the_way_out(folder):
    done = run("rewrite", "in.txt", "-o", "out.txt", "--epsilon", "3", "--device", "cuda")
    assert "no CUDA device on this machine (asked for 'cuda'); leave the device out" in str(done.exception)


def test_workers_without_a_gpu_are_not_asked_to_use_one():
    with pytest.raises(InvalidInputError, match=r"--device cuda would not reach the workers.*--worker-gpus 1"):
        where_of("ray", 1, None, 0.0, ledger=None, device="cuda")
    assert where_of("ray", 1, None, 0.5, ledger=None, device="cuda")["engine"].gpus == 0.5
    for device in ("cpu", "cpu:0"):
        assert where_of("ray", 1, None, 0.0, ledger=None, device=device)["engine"].gpus == 0
