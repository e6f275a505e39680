"""64 clients on one budget, over HTTP: all of it is spent, and no more; what came is what the ledger has."""

from __future__ import annotations

import pytest
from tests.service.racing import race


def test_many_clients_of_a_service_never_overspend(any_place):
    check(race(any_place, ceiling=50, seconds=2))


@pytest.mark.soak
def test_many_clients_of_a_service_never_overspend_for_a_minute(any_place):
    check(race(any_place, ceiling=1500, seconds=60))


def check(statuses):
    assert statuses["release", 409] > 0
    assert {status for name, status in statuses if name == "release"} == {200, 409}
    # At most 2 streams of a key are taken at a time.
    assert {status for name, status in statuses if name == "stream"} <= {409, 422, 503}
    assert statuses["stream", 422] > 0
