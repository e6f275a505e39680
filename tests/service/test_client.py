"""A client that another program generates from /openapi.json can call the service."""

from __future__ import annotations

import json
import subprocess
import sys

import httpx
from tests.service.serving import Running

SCRIPT = """
import sys
from textveil_client import AuthenticatedClient
from textveil_client.api.default import list_mechanisms, preview, release_texts
from textveil_client.models import Kind, PreviewOrder, Problem, Released, TextsOrder

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
print([each.name for each in list_mechanisms.sync(client=client).mechanisms])
seen = preview.sync(client=client, body=PreviewOrder(mechanism="words", dataset="tickets", kind=Kind.TEXTS, pieces=2))
print(seen.allowed)
done = release_texts.sync(client=client, body=TextsOrder(mechanism="words", dataset="tickets", texts=["w1 w2"]))
assert isinstance(done, Released)
print(len(done.released), done.receipt.ledger.counted)
refused = release_texts.sync(client=client, body=TextsOrder(mechanism="none", dataset="tickets", texts=["w1"]))
assert isinstance(refused, Problem)
print(refused.code)
"""


def test_a_generated_client_lists_previews_releases_and_understands_problems(place, tmp_path):
    with Running(place, "--quick") as running:
        call(running, place, tmp_path)


def call(running, place, tmp_path):
    schema = httpx.get(f"{running.client.base_url}/openapi.json").json()
    (tmp_path / "openapi.json").write_text(json.dumps(schema))
    (tmp_path / "config.yaml").write_text("package_name_override: textveil_client\npost_hooks: []\n")
    generate = [sys.executable, "-m", "openapi_python_client", "generate", "--path", "openapi.json"]
    generate += ["--config", "config.yaml", "--meta", "none", "--output-path", "textveil_client"]
    made = subprocess.run(generate, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    command = [sys.executable, "-c", SCRIPT, str(running.client.base_url), place.token]
    called = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert called.returncode == 0, called.stderr
    assert called.stdout.splitlines() == [
        "['words', 'endless', 'vectors', 'answers']",
        "True",
        "1 True",
        "unknown-mechanism",
    ]
