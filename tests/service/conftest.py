from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from fastapi.testclient import TestClient
from tests.ledger import servers
from tests.service.serving import create_budgets, settle

from textveil.service.app import build
from textveil.service.catalogue import read_catalogue
from textveil.service.counting import Counted
from textveil.service.keys import KeyFile
from textveil.service.service import Service
from textveil.service.spending import Uncounted

NUMBERS = count(1)
MEMORY = "/dev/shm"  # noqa: S108


@pytest.fixture(scope="session")
def settled(tmp_path_factory):
    return settle(tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="session")
def postgres():
    if servers.programs() is None:
        pytest.skip("no PostgreSQL here")
    with servers.server() as url:
        yield url


@pytest.fixture(scope="session")
def catalogue(settled):
    made = read_catalogue(settled.config)
    made.warm_up()
    return made


@contextmanager
def anew(settled, server=""):
    """The same service with a ledger of its own; in memory where that is possible, since each release waits for it."""
    with TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as outer:
        folder = shutil.copytree(settled.folder, Path(outer, "place"))
        yield replace(settled, folder=folder, server=server)


@pytest.fixture
def place(settled):
    with anew(settled) as made:
        yield made


@pytest.fixture
def server_place(settled, postgres):
    """The same with a ledger in PostgreSQL."""
    url = servers.new_database(postgres, f"service{next(NUMBERS)}")
    create_budgets(url)
    with anew(settled, url) as made:
        yield made


@pytest.fixture(params=["place", "server_place"], ids=["sqlite", "postgresql"])
def any_place(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def keys(settled):
    """Shared, since scrypt is slow on purpose and a file of keys remembers what it has checked."""
    return KeyFile(settled.keys)


@pytest.fixture
def service(place, catalogue, keys):
    spending = Counted(place.ledger)
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
