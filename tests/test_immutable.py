"""Arrays that nobody can change."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from textveil.immutable import Immutable, read_only


@dataclass(frozen=True)
class Pair(Immutable):
    name: str
    values: np.ndarray


def test_a_view_is_copied_since_what_it_looks_at_stays_open():
    whole = np.zeros(4)
    part = read_only(whole[1:])
    whole[:] = 1
    assert not part.any()
    with pytest.raises(ValueError, match="read-only"):
        part[0] = 1


def test_copies_are_closed_as_well():
    pair = Pair("a", np.arange(3))
    for other in (pair, copy.copy(pair), copy.deepcopy(pair), pickle.loads(pickle.dumps(pair))):  # noqa: S301
        assert other.name == "a"
        assert other.values.tolist() == [0, 1, 2]
        assert not other.values.flags.writeable
