"""What people do with the page, in a real browser; each journey leaves a picture in out/page."""

from __future__ import annotations

import json

import pytest
from tests.page.looking import TEXT, shoot, until

from textveil.jobs import verify

STORY = "Will it be colder in Ohio next week? My doctor in Boston told me to take aspirin."


def slide_to(page, epsilon):
    """Move the slider to an epsilon and wait for the samples of it."""
    page.eval_on_selector(
        "#epsilon",
        """(slider, asked) => {
          for (let at = 0; at <= slider.max; at += 1) {
            slider.value = at;
            slider.dispatchEvent(new Event("input"));
            if (document.getElementById("epsilon-value").textContent === asked) return;
          }
        }""",
        f"{epsilon:g}",
    )
    page.wait_for_selector(f'#samples[data-epsilon="{epsilon:g}"]')


def choose(page, word):
    page.locator("#original .word", has_text=word).first.click()
    until(page, f"document.getElementById('word-title').textContent === '“{word.lower()}”'")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390)])
def test_a_text_is_shown_beside_samples_with_what_changed(visit, scheme, width):
    with visit(scheme=scheme, width=width) as page:
        page.wait_for_selector("#samples li")
        slide_to(page, 2.7)
        choose(page, "Ohio")
        page.wait_for_selector("svg.map")
        until(page, "!document.getElementById('plausible').textContent.includes('counting')", seconds=120)
        shoot(page, f"try-{scheme}-{width}")
        originals = page.locator("#original .word").all_text_contents()
        assert " ".join(originals) == STORY.replace("?", "").replace(".", "")
        for sample in page.locator("#samples li").all():
            words = sample.locator("[data-at]").all_text_contents()
            assert len(words) == len(originals)
            changed = [one.lower() != other.lower() for one, other in zip(originals, words, strict=True)]
            assert sample.locator("ins").count() == sum(changed)
            if any(changed):
                assert sample.locator(".tally").text_content() == f"{sum(changed)} of 17 words changed"
        assert "Proved:" in page.text_content("#promise")
        assert "epsilon" not in page.text_content("#try-problem")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_larger_epsilon_changes_fewer_words(visit):
    with visit() as page:
        page.wait_for_selector("#samples li")
        counts = []
        for epsilon in (0.27, 5.6):
            slide_to(page, epsilon)
            counts.append(page.locator("#samples ins").count())
        assert counts[0] > 40
        assert counts[1] < 8
        assert "To look at only" in page.text_content("#epsilon-note")
        slide_to(page, 3)
        assert page.text_content("#epsilon-note") == "Offered for releases."


def test_typing_is_never_blocked_and_the_last_text_is_shown(visit):
    with visit() as page:
        page.wait_for_selector("#samples li")
        page.fill("#text", "")
        page.locator("#text").press_sequentially(TEXT, delay=4)
        assert page.input_value("#text") == TEXT
        until(page, "document.querySelectorAll('#original .word').length === 8")


def test_without_a_text_nothing_is_promised(visit):
    with visit() as page:
        page.wait_for_selector("#promised:not([hidden])")
        page.fill("#text", "")
        page.wait_for_selector("#promised", state="hidden")
        assert page.is_hidden("#legend")


def test_a_history_that_fails_does_not_take_the_others_with_it(visit):
    with visit() as page:
        page.route("**/people/history", lambda route: route.fulfill(status=404, json={"detail": "gone"}))
        page.click("a[href='#budgets']")
        page.wait_for_selector("#budgets .problem")
        assert page.locator("#budgets .card").count() == 3


def test_a_word_tells_its_chances_and_who_is_as_plausible(visit, site):
    with visit(scheme="dark") as page:
        page.wait_for_selector("#samples li")
        page.select_option("#mechanism", "nouns")
        page.fill("#text", "The doctor drove the car to Ohio.")
        until(page, "document.querySelectorAll('#original .word').length === 7")
        assert page.locator("#original .unknown").all_text_contents() == ["The", "the", "to"]
        choose(page, "doctor")
        until(page, "!document.getElementById('plausible').textContent.includes('counting')")
        page.wait_for_selector("svg.map .rim:not(.flat)")
        shoot(page, "disc-dark")
        asked = {"mechanism": "nouns", "word": "doctor"}
        (explained,) = site.running.client.post("/v1/explain", json={"mechanism": "nouns", "words": ["doctor"]}).json()[
            "words"
        ]
        facts = site.running.client.post("/v1/page/word", json=asked).json()
        assert facts["stays"] == explained["stays"]
        assert [[each["word"], each["chance"]] for each in facts["replacements"]] == explained["replacements"][:8]
        assert page.locator(".bars button").all_text_contents() == [each["word"] for each in facts["replacements"]]
        assert "other words" in page.text_content("#plausible")
        assert "%" in page.text_content("#recovered")
        page.locator(".bars button").first.click()
        until(page, "document.getElementById('word-title').textContent !== '“doctor”'")


def test_words_are_reached_with_the_keyboard_alone(visit):
    with visit() as page:
        page.wait_for_selector("#samples li")
        page.focus("#again")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Will"
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.textContent") == "Ohio"
        until(page, "document.getElementById('word-live').textContent.startsWith('ohio stays')")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "plain"
        page.keyboard.press("Shift+Tab")
        assert page.evaluate("document.activeElement.textContent") == "Ohio"
        page.focus("#epsilon")
        before = page.text_content("#epsilon-value")
        page.keyboard.press("ArrowLeft")
        assert page.text_content("#epsilon-value") != before
        assert "to look at only" in page.get_attribute("#epsilon", "aria-valuetext")


def test_what_answers_with_whole_sentences_is_shown_too(visit):
    with visit() as page:
        page.wait_for_selector("#samples li")
        page.select_option("#mechanism", "answers")
        until(page, "document.getElementById('odds').textContent.includes('One sentence')")
        assert page.is_hidden("#word")
        assert page.is_hidden("#slide")
        assert page.locator("#samples li").count() == 4
        assert "All 2 sentences" in page.text_content("#odds")
        shoot(page, "answers-light")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_a_file_is_weighed_released_downloaded_and_paid(visit, site, tmp_path, scheme, width):
    rows = "".join(f'"My doctor, number {i}, told me ""rest"".",xqzv{i}\n' for i in range(120))
    (tmp_path / "notes.csv").write_text("note,name\n" + rows)
    spent = site.running.client.get("/v1/datasets/tickets 2026").json()["facts"]["spent"]["epsilon"]
    with visit(view="release", scheme=scheme, width=width) as page:
        page.set_input_files("#release-file", tmp_path / "notes.csv")
        page.wait_for_selector("#file-about:not([hidden])")
        assert page.input_value("#release-column") == "note"
        assert "120 records" in page.text_content("#file-size")
        page.click("#weigh")
        page.wait_for_selector("#go")
        assert "the longest with 7 words" in page.text_content("#quote")
        shoot(page, f"weighed-{scheme}-{width}")
        unpaid = site.running.client.get("/v1/datasets/tickets 2026").json()["facts"]["spent"]["epsilon"]
        assert unpaid == spent
        page.click("#go")
        page.wait_for_selector("#done a.button")
        shoot(page, f"released-{scheme}-{width}")
        with page.expect_download() as download:
            page.click("a:text-is('Download')")
        released = download.value.path().read_text()
        assert download.value.suggested_filename == "notes.released.csv"
        with page.expect_download() as download:
            page.click("a:text-is('Receipt')")
        receipt = json.loads(download.value.path().read_text())
        verified = verify(
            download.value.path(), download.value.path(), ledger=str(site.running.log.parent / "ledger.db")
        )
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert released.startswith('"note"\n"')
    assert len(released.splitlines()) == 121
    assert "xqzv" not in released
    assert receipt["items"] == 120
    assert verified.ok
    entries = site.running.client.get("/v1/datasets/tickets 2026/history").json()["entries"]
    assert receipt["ledger"]["entry"] == entries[-1]["id"]
    assert entries[-1]["state"] == "committed"


def test_what_the_budget_does_not_allow_can_not_be_released(visit, tmp_path):
    (tmp_path / "long.txt").write_text(" ".join(["word"] * 400) + "\n")
    with visit(view="release") as page:
        page.set_input_files("#release-file", tmp_path / "long.txt")
        page.select_option("#release-dataset", "tickets 2026")
        page.click("#weigh")
        page.wait_for_selector("#go")
        assert "The budget does not allow it" in page.text_content("#quote")
        assert page.is_disabled("#go")
        page.select_option("#release-dataset", "people")
        assert page.is_visible("#release-rows")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("light", 390)])
def test_budgets_have_a_meter_and_a_history(visit, site, scheme, width):
    order = {"mechanism": "words", "dataset": "people", "texts": [TEXT]}
    site.running.client.post("/v1/release/texts", json=order).raise_for_status()
    with visit(view="budgets", scheme=scheme, width=width) as page:
        card = page.locator(".card", has_text="people")
        card.wait_for()
        assert card.get_by_role("meter").get_attribute("aria-valuetext").endswith("spent")
        state = card.get_by_text("committed").first
        assert state.is_visible()
        assert state.bounding_box()["x"] < width
        assert site.running.client.get("/v1/datasets/people/history").json()["entries"][-1]["id"] in card.text_content()
        shoot(page, f"budgets-{scheme}-{width}")


def test_an_audit_is_run_and_read(visit):
    with visit(view="audits") as page:
        page.get_by_role("button", name="Audit answers").click()
        page.get_by_text("The promise holds").wait_for()
        shoot(page, "audits-light")


def test_the_frontier_is_drawn_and_can_be_turned(visit):
    with visit(view="frontier") as page:
        page.wait_for_selector("svg.chart")
        page.locator("#kept-title").wait_for()
        assert page.locator("svg.chart").count() == 2
        page.locator("svg.chart").first.hover(position={"x": 300, "y": 150})
        assert "a word stays with chance" in page.locator(".chart-note").first.text_content()
        shoot(page, "frontier-light")
        page.get_by_role("checkbox").nth(1).uncheck()
        page.select_option("#compare-x", "unchanged")
        assert page.locator("svg.chart").nth(1).locator("path.line").count() == 1


def test_a_wrong_key_gets_a_clear_message_and_nothing_else(visit):
    with visit(key=None) as page:
        for wrong in ("nonsense", f"tv_{'0' * 16}_{'A' * 43}", "<b>x</b>"):
            page.fill("#key", wrong)
            page.click("#key-form button")
            page.get_by_text("This key is not valid here").wait_for()
            visible = page.locator("main > section:visible")
            assert visible.count() == 1
            assert visible.get_attribute("id") == "entrance"
            assert page.is_hidden("#views")
        shoot(page, "wrong-key-light")


def test_a_key_that_may_not_draw_samples_can_still_ask_about_words(visit, site):
    with visit(key=site.key_without_samples) as page:
        page.wait_for_selector("#original .word")
        assert page.is_visible("#no-samples")
        assert page.locator("#samples li").count() == 0
        choose(page, "Ohio")
        assert "is its chance to stay" in page.text_content("#word-body")
