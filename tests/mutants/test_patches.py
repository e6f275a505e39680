"""The table of wrong patches is about the code that there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mutants.patches import PATCHES

SOURCES = Path(__file__).parents[2] / "src" / "textveil"


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.name)
def test_what_a_patch_replaces_is_there_once(patch):
    assert (SOURCES / patch.file).read_text().count(patch.old) == 1
