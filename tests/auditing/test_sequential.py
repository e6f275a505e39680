from __future__ import annotations

from itertools import pairwise

import pytest

from textveil.auditing.sequential import looks


@pytest.mark.parametrize("samples", [2, 15, 16, 900, 20_000])
def test_looks_grow_to_the_number_asked_for_and_share_alpha(samples):
    found = looks(samples, 0.01)
    assert found[-1].samples == samples
    assert [look.samples for look in found] == sorted({look.samples for look in found})
    assert sum(look.alpha for look in found) == pytest.approx(0.01)
    assert found[-1].alpha >= 0.009
    assert all(later.samples >= 2 * earlier.samples for earlier, later in pairwise(found))
