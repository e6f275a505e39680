"""The page for everybody: axe finds nothing serious in any view, light or dark, wide or narrow."""

from __future__ import annotations

import pytest
from tests.page.looking import until

VIEWS = {
    "try": "svg.map",
    "frontier": "svg.chart",
    "release": "#release-file",
    "budgets": "[role=meter]",
    "audits": "#audits-body button",
}


def serious(page):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        (each["id"], [node["target"] for node in each["nodes"]][:3])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_any_view(visit, scheme):
    with visit(key=None, scheme=scheme) as page:
        page.fill("#key", "wrong")
        page.click("#key-form button")
        page.get_by_text("This key is not valid here").wait_for()
        assert serious(page) == []
    with visit(scheme=scheme) as page:
        for view, seen in VIEWS.items():
            page.click(f"nav a[href='#{view}']")
            if view == "try":
                page.locator("#original .word").nth(5).click()
            page.locator(f"#{view} {seen}").first.wait_for()
            assert (view, serious(page)) == (view, [])


def test_axe_would_find_something_serious(visit):
    with visit() as page:
        page.evaluate("document.querySelector('label[for=text]').remove()")
        assert "label" in [name for name, _ in serious(page)]


def test_every_view_has_its_title_and_takes_the_focus(visit):
    with visit() as page:
        titles = set()
        for view in VIEWS:
            page.click(f"nav a[href='#{view}']")
            until(page, f"document.querySelector('#views a[aria-current]').hash === '#{view}'")
            titles.add(page.title())
            assert page.locator("h1:visible").count() == 1
        assert len(titles) == len(VIEWS)
        until(page, "document.activeElement.id === 'main'")


def test_the_first_stop_of_the_tab_key_skips_to_the_content(visit):
    with visit(key=None) as page:
        page.focus("#key")
        page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
