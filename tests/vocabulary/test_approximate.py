import sys
import warnings

import numpy as np
import pytest

import textveil as tv
from textveil.errors import InvalidInputError, MissingDependencyError
from textveil.vocabulary.approximate import ApproximateNearest


@pytest.fixture
def _faiss():
    with warnings.catch_warnings():
        # What faiss is made with speaks of things that Python will drop.
        warnings.simplefilter("ignore")
        pytest.importorskip("faiss")


@pytest.fixture(scope="module")
def vocabulary():
    points = np.random.default_rng(1).standard_normal((1000, 8))
    return tv.Vocabulary([f"w{n}" for n in range(1000)], points, unknown="w0")


@pytest.mark.usefixtures("_faiss")
def test_an_index_says_how_often_it_is_right(vocabulary):
    queries = vocabulary.points[:200] + np.random.default_rng(2).standard_normal((200, 8))
    exact = ApproximateNearest(vocabulary, "Flat")
    assert exact.agreement(queries) == 1
    assert (exact.nearest(queries) == vocabulary.nearest(queries)).all()
    rough = ApproximateNearest(vocabulary, "IVF16,Flat", nprobe=1)
    assert 0.2 < rough.agreement(queries) < 1
    assert rough.nearest(queries[0]).shape == (1,)


@pytest.mark.usefixtures("_faiss")
def test_what_faiss_does_not_know_is_refused(vocabulary):
    with pytest.raises(InvalidInputError, match="index='nonsense'"):
        ApproximateNearest(vocabulary, "nonsense")
    with pytest.raises(InvalidInputError, match="Euclidean"):
        ApproximateNearest(tv.Vocabulary.hyperbolic(100))


def test_without_faiss_it_says_what_to_install(vocabulary, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'textveil\[faiss\]'"):
        ApproximateNearest(vocabulary)
