"""The shape of the house: imports point one way, and only one place makes randomness."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import textveil

SOURCE = Path(textveil.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))

# A room may import itself and the rooms before it; rooms of one line don't know each other.
FLOORS = [
    {"errors", "progress"},
    {"compiled", "immutable", "cache", "durable"},
    {"elementary", "hashing"},
    {"guarantees", "randomness", "standby"},
    {"receipts"},
    {"spaces", "files", "engines"},
    {"noise"},
    {"gpu"},
    {"vocabulary", "ledger"},
    {"mechanisms"},
    {"text"},
    {"encoders"},
    {"learn"},
    {"measure", "auditing"},
    {"jobs"},
    {"reproduce"},
    {"service"},
    {"cli", "sklearn", "presidio", "testing"},
]
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}


def rooms_imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        for name in names:
            parts = name.split(".")
            if parts[0] == "textveil" and len(parts) > 1:
                yield parts[1]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if room == "__init__":
        return
    for imported in rooms_imported(path):
        assert imported == room or LEVEL[imported] < LEVEL[room], f"{room} must not import {imported}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_module_draws_noise_from_another_generator(path):
    tree = ast.parse(path.read_text())
    banned = {"random", "secrets"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert not banned & {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").split(".")[0] not in banned
            assert node.module not in ("numpy.random", "scipy.stats", "torch.distributions")
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("default_rng", "random_sample", "standard_normal", "rvs", "randn", "randint")
            assert not (node.attr == "random" and isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy"))
            assert node.attr != "urandom" or path.name == "randomness.py"


def test_no_file_has_outgrown_its_room():
    for path in MODULES:
        assert len(path.read_text().splitlines()) <= 400, path


def test_every_public_name_exists():
    for name in textveil.__all__:
        assert getattr(textveil, name) is not None
    with pytest.raises(AttributeError, match="no 'Nonsense'"):
        _ = textveil.Nonsense


def test_importing_the_package_loads_no_mathematics():
    code = "import sys, textveil; assert not {'numpy', 'numba', 'scipy'} & set(sys.modules), 'heavy import'"
    subprocess.run([sys.executable, "-c", code], check=True)
