"""A key reaches the worker that it is sealed for, and nobody else."""

from __future__ import annotations

import pytest
from cryptography.exceptions import InvalidTag

from textveil.engines.sealing import Recipient, seal

SECRET = bytes(range(32))


def test_only_the_worker_it_is_sealed_for_opens_a_key():
    worker, other = Recipient(), Recipient()
    sealed = seal(SECRET, worker.public)
    assert worker.open(sealed) == SECRET
    with pytest.raises(InvalidTag):
        other.open(sealed)


def test_a_sealed_key_shows_nothing_of_it_and_is_never_the_same():
    worker = Recipient()
    sealed = {seal(SECRET, worker.public) for _ in range(20)}
    assert len(sealed) == 20
    assert not any(SECRET[start : start + 4] in each for each in sealed for start in range(28))


@pytest.mark.parametrize("place", [0, 31, 32, 50, 79])
def test_a_sealed_key_that_was_changed_is_refused(place):
    worker = Recipient()
    sealed = bytearray(seal(SECRET, worker.public))
    sealed[place] ^= 1
    with pytest.raises(InvalidTag):
        worker.open(bytes(sealed))
