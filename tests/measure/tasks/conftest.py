from __future__ import annotations

import pytest
from tests.measure.tasks.generated import generated_table, write_data


@pytest.fixture(scope="session")
def table():
    return generated_table()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return write_data(tmp_path_factory.mktemp("data"))
