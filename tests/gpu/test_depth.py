"""Depth on a device is that of the CPU, by plain torch and by the kernel: on a GPU, or by Triton's interpreter."""

import os
from copy import copy, deepcopy

import numpy as np
import pytest

import textveil as tv
from textveil.errors import InvalidInputError
from textveil.gpu.depth import DeviceDepth, plain_depths
from textveil.mechanisms.deep_candidate.depth import Depth
from textveil.randomness import RandomSource
from textveil.vocabulary.lattice import STEP

torch = pytest.importorskip("torch")
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@pytest.fixture(scope="module")
def documents():
    """Candidates, directions and documents of 0 to 130 sentences, some of which are candidates or there twice."""
    rng = np.random.default_rng(5)
    directions = np.rint(rng.normal(size=(7, 40)) * 1024)
    topic = rng.normal(size=40) / 20
    candidates = np.rint((topic + rng.normal(size=(300, 40)) / 40) / STEP) * STEP
    sizes = np.array([3, 0, 1, 2, 9, 0, 40, 130])
    sentences = topic + rng.normal(size=(sizes.sum(), 40)) / 30
    sentences[::3] = candidates[rng.integers(0, 20, size=len(sentences[::3]))]
    sentences[4] *= 1e300
    return candidates, directions, sentences, np.concatenate([[0], np.cumsum(sizes)])


@pytest.mark.parametrize("closed", [True, False])
def test_depths_are_those_of_the_cpu(documents, closed):
    candidates, directions, *private = documents
    here = Depth(candidates, directions, closed=closed).among(*private)
    there = Depth(candidates, directions, closed=closed, device=DEVICE).among(*private)
    assert there.dtype == here.dtype
    assert (there == here).all()
    assert here.max() >= 5


@pytest.mark.parametrize("closed", [True, False])
def test_the_kernel_counts_the_plain_depths(closed):
    if DEVICE.type == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
    pytest.importorskip("triton")
    from textveil.gpu.counting import counted_depths

    rng = np.random.default_rng(6)
    places, sentences = (torch.from_numpy(rng.integers(-9, 9, (4, n)) * 2.0**48).to(DEVICE) for n in (300, 50))
    offsets = np.array([0, 3, 3, 4, 11, 50])
    found = counted_depths(places, sentences, offsets, closed=closed)
    assert torch.equal(found, plain_depths(places, sentences, offsets, closed=closed))
    assert found[-1].max() > 5
    assert counted_depths(places, sentences[:, :0], np.array([0]), closed=closed).shape == (0, 300)


@pytest.mark.parametrize("variant", ["repaired", "published"])
def test_documents_are_released_as_on_the_cpu(documents, variant):
    vectors, _, sentences, offsets = documents
    candidates = tv.Candidates(vectors, [str(n) for n in range(300)])
    private = np.split(sentences, offsets[1:-1])
    source = RandomSource.keyed(b"k" * 32)
    here, there = (
        tv.DeepCandidate(public, epsilon=5.0, projections=6, variant=variant)
        for public in (candidates, candidates.on(DEVICE))
    )
    assert there.spec() == here.spec()
    chosen = [[one.index for one in mechanism.release(private, source=source)] for mechanism in (here, there)]
    assert chosen[0] == chosen[1]


def test_candidates_on_a_device_are_the_same_candidates(documents):
    candidates = tv.Candidates(documents[0])
    there = candidates.on(DEVICE)
    assert there.device.type == DEVICE.type
    assert there.digest == candidates.digest
    assert [other.device for other in (candidates, there.on(None))] == [None] * 2
    assert copy(there) is there
    assert deepcopy(there) is there
    with pytest.raises(InvalidInputError, match="device"):
        candidates.on("no such thing")


def test_a_device_that_does_not_multiply_exactly_is_refused(monkeypatch):
    whole = np.array([[2.0**24 + 1, 1.0], [3.0, 5.0]])
    DeviceDepth(whole, np.eye(2), closed=True, device=DEVICE)
    monkeypatch.setattr(torch.Tensor, "__matmul__", lambda a, b: torch.matmul(a.float(), b.float()).double())
    with pytest.raises(InvalidInputError, match="does not multiply whole numbers exactly"):
        DeviceDepth(whole, np.eye(2), closed=True, device=DEVICE)
