"""The documentation points at things that exist: tests, links, pictures; every numbered claim names its test."""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from pathlib import Path

import pytest

import textveil

ROOT = Path(__file__).parent.parent
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]
LARGEST_PICTURE = 150_000

NAMED_TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
CLAIM = re.compile(r"^\*\*Claim (\d+)\b", re.MULTILINE)
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@cache
def functions_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(function for function in found if function.startswith("test_"))


def claims_in(text: str) -> dict[int, str]:
    """The text of each claim, up to the next claim or heading."""
    starts = [(int(match[1]), match.start()) for match in CLAIM.finditer(text)]
    ends = sorted([match.start() for pattern in (CLAIM, HEADING) for match in pattern.finditer(text)] + [len(text)])
    return {number: text[start : next(end for end in ends if end > start)] for number, start in starts}


def anchors_in(text: str) -> set[str]:
    """Headings as GitHub names them."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in HEADING.findall(text)}


def missing_tests(text: str) -> list[str]:
    missing = []
    for path, test in NAMED_TEST.findall(text):
        file = ROOT / path
        if not file.is_file() or test not in functions_in(file):
            missing.append(f"{path}::{test}")
    return missing


def broken_links(page: Path, text: str) -> list[str]:
    broken = []
    for picture, target in LINK.findall(CODE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        found = file.is_file() if picture or anchor else file.exists()
        if not found or (anchor and anchor not in anchors_in(file.read_text(encoding="utf-8"))):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_test_that_is_named_exists(page):
    assert missing_tests(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_relative_link_and_picture_is_there(page):
    assert broken_links(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", DOCS, ids=name)
def test_every_numbered_claim_names_a_test(page):
    claims = claims_in(page.read_text(encoding="utf-8"))
    assert list(claims) == list(range(1, len(claims) + 1))
    assert [number for number, text in claims.items() if not NAMED_TEST.search(text)] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "mechanisms").glob("*.md")), ids=name)
def test_every_mechanism_has_claims_and_says_where_it_ends(page):
    text = page.read_text(encoding="utf-8")
    assert claims_in(text)
    headings = HEADING.findall(text)
    assert {"Algorithm", "Finite precision", "Limits", "When to use it"} <= set(headings)


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "mechanisms").glob("*.md")), ids=name)
def test_the_signature_at_the_top_of_a_page_is_that_of_the_code(page):
    shown = re.search(r"^`tv\.(\w+)(\(.*?\))` ", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert shown
    assert wrong_defaults(shown[1], shown[2]) == []


def wrong_defaults(mechanism: str, arguments: str) -> list[str]:
    """The parameters that are not there, or have another default than the one shown; `...` and names show none."""
    call = ast.parse("f" + arguments.replace(", ...)", ")"), mode="eval").body
    assert isinstance(call, ast.Call)
    there = inspect.signature(getattr(textveil, mechanism)).parameters
    wrong = []
    for keyword in call.keywords:
        default = there[str(keyword.arg)].default if keyword.arg in there else "absent"
        plain = isinstance(keyword.value, ast.Constant) and keyword.value.value is not Ellipsis
        if default == "absent" or (plain and default != ast.literal_eval(keyword.value)):
            wrong.append(str(keyword.arg))
    return wrong


def test_every_mechanism_that_names_its_page_has_one():
    pages = set()
    for file in (ROOT / "src").rglob("*.py"):
        pages |= set(re.findall(r"docs/[\w/-]+\.md", file.read_text(encoding="utf-8")))
    assert len(pages) >= 3
    assert [page for page in sorted(pages) if not (ROOT / page).is_file()] == []


def test_pictures_are_small_and_all_used():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    pictures = list((ROOT / "docs" / "pictures").glob("*.png"))
    assert pictures
    for picture in pictures:
        assert picture.stat().st_size < LARGEST_PICTURE
        assert f"pictures/{picture.name}" in text


def test_a_page_that_lies_is_caught():
    assert missing_tests("`tests/test_docs.py::test_nothing_of_the_kind`")
    assert missing_tests("`tests/test_nowhere.py::test_a_page_that_lies_is_caught`")
    assert not missing_tests("`tests/test_docs.py::test_a_page_that_lies_is_caught[any-id]`")
    assert wrong_defaults("Laplace", '(epsilon=..., dimension=n, precision="fast", magic=1)') == ["precision", "magic"]
    page = ROOT / "docs" / "concepts.md"
    assert broken_links(page, "[x](nowhere.md) ![y](pictures/nothing.png) [z](limits.md#no-such-heading)") == [
        "nowhere.md",
        "pictures/nothing.png",
        "limits.md#no-such-heading",
    ]
    claims = claims_in("**Claim 1.** `tests/a.py::test_a`\n\n**Claim 2.** none\n\n## Next\n`tests/a.py::test_b`\n")
    assert [bool(NAMED_TEST.search(text)) for text in claims.values()] == [True, False]
