"""Input that wants to be more than text: nothing of it runs, nothing leaves for elsewhere, nothing stays behind."""

from __future__ import annotations

import json

import pytest
from tests.page.looking import HOSTILE, until

ATTACKS = (
    HOSTILE,
    "<script>document.title='taken'</script>",
    "\"'><svg/onload=document.title='taken'>",
    "{{constructor.constructor('document.title=`taken`')()}}",
    "javascript:document.title='taken'",
    "\u202e\u2066right to left\u2069 \u0000 \ufeff \U0001f9ff\u200d\U0001f9ff",
)
UNREADABLE = (
    ("a.txt", b"\xff\xfe\x00", "not UTF-8"),
    ("a.exe", b"MZ", "This page reads .txt"),
    ("a.csv", b'a,b\n"never closed', "never closed"),
    ("a.csv", b"a,b\n1,2,3\n", "has 3 cells"),
    ("a.csv", b"a,a\n1,2\n", "same name"),
    ("a.jsonl", b'{"a": 1}\nnonsense\n', "Line 2 is not JSON"),
    ("a.jsonl", b'{"a": 1}\n', "No field is a string"),
    ("a.txt", b"", "no records"),
    ("a.txt", b"x\n" * 100_001, "at most 100,000 records"),
)


def test_what_is_typed_is_shown_and_never_run(visit):
    with visit() as page:
        page.wait_for_selector("#samples li")
        for attack in ATTACKS:
            page.fill("#text", attack)
            shown = json.dumps(page.input_value("#text"))
            until(page, f"document.getElementById('original').textContent === {shown}")
            page.locator("#original .word").first.click()
            page.wait_for_timeout(100)
            assert page.locator("main script, main svg[onload], main img").count() == 0


def test_names_of_files_columns_and_data_sets_are_text_too(visit, tmp_path):
    (tmp_path / "a'><b onclick=x>.csv").write_text(
        f'"{HOSTILE.replace(chr(34), chr(34) * 2)}",b\nlonger than the other,2\n'
    )
    with visit(view="release") as page:
        page.set_input_files("#release-file", tmp_path / "a'><b onclick=x>.csv")
        page.wait_for_selector("#file-about:not([hidden])")
        assert page.input_value("#release-column") == HOSTILE
        page.select_option("#release-dataset", HOSTILE)
        page.click("#weigh")
        page.wait_for_selector("#go")
        page.click("#go")
        page.wait_for_selector("#done a.button")
        page.click("nav a[href='#budgets']")
        page.get_by_role("heading", name="onerror").wait_for()
        page.click("nav a[href='#frontier']")
        page.wait_for_selector("svg.chart")
        assert page.locator("main img, main b").count() == 0


def test_files_that_can_not_be_read_are_refused_with_the_reason(visit, tmp_path):
    with visit(view="release") as page:
        for number, (name, content, says) in enumerate(UNREADABLE):
            path = tmp_path / f"{number}{name}"
            path.write_bytes(content)
            page.set_input_files("#release-file", path)
            page.locator("#file-problem", has_text=says).wait_for()
            assert page.is_disabled("#weigh")


def test_a_file_over_the_limit_is_refused_before_it_is_read(visit, tmp_path):
    with open(tmp_path / "large.txt", "wb") as file:
        file.truncate(65 * 2**20)
    with visit(view="release") as page:
        page.set_input_files("#release-file", tmp_path / "large.txt")
        page.locator("#file-problem", has_text="65 MiB").wait_for()


def test_more_than_the_box_holds_is_cut_and_more_than_the_service_takes_is_refused(visit, site):
    with visit() as page:
        page.wait_for_selector("#samples li")
        page.fill("#text", "")
        page.locator("#text").evaluate(
            "box => { box.focus(); document.execCommand('insertText', false, 'word '.repeat(1000)); }"
        )
        assert len(page.input_value("#text")) == 2000
        until(page, "document.querySelectorAll('#original .word').length === 400")
        assert page.text_content("#text-count") == "0 characters left."
        page.evaluate("document.getElementById('text').removeAttribute('maxlength')")
        page.fill("#text", "private " * 300)
        page.locator("#try-problem", has_text="must have at most 2000 characters").wait_for()
        assert "private" not in page.text_content("#try-problem")


def test_the_key_is_nowhere_but_in_memory(visit, site):
    with visit() as page:
        page.wait_for_selector("#samples li")
        kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])")
        assert site.key not in kept
        assert json.loads(kept)[:3] == [{}, {}, ""]
        assert site.key not in page.content()
        page.reload()
        page.wait_for_selector("#entrance:not([hidden])")


def test_a_service_that_is_gone_is_said_to_be_gone(visit):
    with visit() as page:
        page.wait_for_selector("#samples li")
        page.route("**/v1/**", lambda route: route.abort())
        page.click("#again")
        page.locator("#try-problem", has_text="can't be reached").wait_for()
        page.unroute("**/v1/**")
        page.click("#again")
        until(page, "document.getElementById('try-problem').textContent === ''")


def test_the_policy_stops_markup_and_inline_code(site, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.address)
    page.wait_for_selector("#key")
    with pytest.raises(Exception, match="TrustedHTML"):
        page.evaluate(f"document.body.insertAdjacentHTML('beforeend', {json.dumps(HOSTILE)})")
    with pytest.raises(Exception, match="TrustedScript"):
        page.evaluate("document.body.setAttribute('onclick', \"document.title = 'taken'\")")
    context.close()
