"""A real service in a process of its own, and a real browser that looks at its page."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, contextmanager

import pytest
from tests.page.looking import CHROMIUM, CONFIG, HOSTILE, SENTENCES, Site, enter, frontier, warm
from tests.service.serving import Place, Running

import textveil as tv
from textveil.ledger import Ledger
from textveil.service.keys import KeyFile

NO_BROWSER = "NO BROWSER: the page was not looked at. Install one: apt-get install -y chromium"


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip(NO_BROWSER)
    folder = tmp_path_factory.mktemp("site")
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "frontier.json").write_text(json.dumps(frontier()))
    (folder / "candidates.txt").write_text("".join(f"{each}\n" for each in SENTENCES))
    tv.Vocabulary.hyperbolic().subset(2500).save(folder / "nouns.npz")
    ledger = Ledger(str(folder / "ledger.db"))
    ledger.create("tickets 2026", unit="record", epsilon=2000)
    ledger.create("people", unit="person", epsilon=500)
    ledger.create("hostile", unit="record", epsilon=500)
    ledger.close()
    # Such a name is refused today, but a ledger may be older than that.
    with closing(sqlite3.connect(folder / "ledger.db")) as database, database:
        database.execute("update dataset set name = ? where name = 'hostile'", (HOSTILE,))
    keys = KeyFile(folder / "keys.json")
    key = keys.add("looker", datasets=("*",), playground=True)
    blind = keys.add("payer", datasets=("people",))
    with Running(Place(folder, key, key), "--quick", "--frontier", str(folder / "frontier.json")) as running:
        warm(running.client)
        yield Site(str(running.client.base_url), key, blind, running)


@pytest.fixture(scope="module")
def browser():
    """For one module: while Playwright is there, no other test can have an event loop."""
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        pytest.skip(NO_BROWSER)
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield made
        made.close()


@pytest.fixture
def visit(site, browser):
    """Open the page in a window of its own; at the end nothing must have gone wrong in it."""

    @contextmanager
    def opened(*, key=site.key, view="try", scheme="light", width=1280, height=900):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, locale="en")
        page = context.new_page()
        faults, asked = [], []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda told: faults.append(told.text) if "Content Security Policy" in told.text else None)
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{site.address}/#{view}")
        if key is not None:
            enter(page, key)
            page.wait_for_selector(f"#{view}:not([hidden])")
        try:
            yield page
            assert faults == []
            assert [url for url in asked if not url.startswith((site.address, "blob:"))] == []
            assert page.title() != "taken"
        finally:
            context.close()

    return opened
