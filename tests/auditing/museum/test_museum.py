"""Twenty and more broken mechanisms, each accused, and their correct twins, none of which is."""

from __future__ import annotations

import numpy as np
import pytest
from tests.auditing.museum.catalogue import EXHIBITS, PAGE, page

from textveil.auditing.report import CERTIFYING, Verdict


@pytest.mark.parametrize("name", EXHIBITS)
def test_the_broken_is_accused_and_its_twin_is_not(name, record_property):
    exhibit = EXHIBITS[name]
    found = examined(exhibit, exhibit.broken)
    accusing = [finding for finding in found if finding.verdict is Verdict.VIOLATED]
    assert exhibit.caught_by in {label for finding in accusing for label in (finding.name, str(finding.method))}
    of_twin = examined(exhibit, exhibit.twin)
    assert [finding for finding in of_twin if finding.verdict is Verdict.VIOLATED] == []
    if any(finding.method in CERTIFYING for finding in found):
        assert {finding.verdict for finding in of_twin} == {Verdict.HOLDS}
    record_property("exhibit", name)
    record_property("caught by", f"{exhibit.caught_by} ({accusing[0].samples:,} samples)")
    record_property("twin", str(of_twin[0].verdict))


def test_the_museum_has_at_least_twenty_exhibits_on_vectors_words_and_texts():
    assert len(EXHIBITS) >= 20


def test_the_page_lists_the_exhibits():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.auditing.museum.catalogue"


def examined(exhibit, make):
    rng = np.random.default_rng(20260)
    return exhibit.examine(make(rng), rng)
