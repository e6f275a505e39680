from __future__ import annotations

import pytest
from tests.service.killing import killed


def test_after_five_kills_the_ledger_has_all_that_left_the_service(place):
    assert killed(place, 5) > 0


@pytest.mark.endurance
def test_after_two_hundred_kills_the_ledger_has_all_that_left_the_service(place):
    assert killed(place, 200, seed=1) > 200
