from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from fastapi.testclient import TestClient
from tests.service.serving import settle

from textveil.service.app import build
from textveil.service.catalogue import read_catalogue
from textveil.service.counting import Counted
from textveil.service.keys import KeyFile
from textveil.service.service import Service
from textveil.service.spending import Uncounted

MEMORY = "/dev/shm"  # noqa: S108


@pytest.fixture(scope="session")
def settled(tmp_path_factory):
    return settle(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="session")
def catalogue(settled):
    made = read_catalogue(settled.config)
    made.warm_up()
    return made


@pytest.fixture
def place(settled):
    """The same service with a ledger of its own; in memory where that is possible, since each release waits for it."""
    with TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as outer:
        folder = shutil.copytree(settled.folder, Path(outer, "place"))
        yield type(settled)(folder, settled.token, settled.metrics_token)


@pytest.fixture(scope="session")
def keys(settled):
    """Shared, since scrypt is slow on purpose and a file of keys remembers what it has checked."""
    return KeyFile(settled.keys)


@pytest.fixture
def service(place, catalogue, keys):
    spending = Counted(str(place.ledger))
    yield Service(catalogue, spending, keys, rate=1e6, burst=1e6)
    spending.close()


@pytest.fixture
def client(service, place):
    return TestClient(build(service), headers=place.key, raise_server_exceptions=False)


@pytest.fixture
def open_client(catalogue):
    """A service without keys and without a ledger."""
    service = Service(catalogue, Uncounted(), None, rate=1e6, burst=1e6)
    return TestClient(build(service), base_url="http://localhost")
