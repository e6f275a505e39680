"""kill -9 of a busy service: when it comes back, the ledger has all that left it."""

from __future__ import annotations

import pytest
from tests.service.killing import killed


def test_after_five_kills_the_ledger_has_all_that_left_the_service(place):
    assert killed(place, 5) > 0


def test_after_two_kills_a_ledger_on_a_server_has_all_that_left_the_service(server_place):
    assert killed(server_place, 2) > 0


@pytest.mark.soak
@pytest.mark.parametrize("half", [1, 2])
def test_after_two_hundred_kills_the_ledger_has_all_that_left_the_service(place, capfd, half):
    with capfd.disabled():
        assert killed(place, 100, seed=half) > 100


@pytest.mark.soak
def test_after_forty_kills_a_ledger_on_a_server_has_all_that_left_the_service(server_place, capfd):
    with capfd.disabled():
        assert killed(server_place, 40, seed=3) > 40
