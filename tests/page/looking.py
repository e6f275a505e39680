"""What the page is tried with: its configuration, made-up comparisons, keys, and a camera."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from tests.service.serving import Running

CHROMIUM = shutil.which("chromium")
PICTURES = Path(__file__).parents[2] / "out" / "page"
# Data sets are named by whoever makes them, so a name may be an attack.
HOSTILE = "<img src=x onerror=\"document.title='taken'\">"
TEXT = "Will it be colder in Ohio next week?"
CONFIG = """
mechanisms:
  words:
    mechanism: Exponential
    vocabulary: default
    radius: auto
    epsilons: [3, 1]
  nouns:
    mechanism: Exponential
    vocabulary: nouns.npz
    weights: general
    epsilon: 2.5
  answers:
    mechanism: SentenceResponses
    response: {mechanism: PublicResponse, candidates: candidates.txt, epsilon: 8}
    encoder: words
"""
SENTENCES = (
    "The doctor warned me about the dangers of smoking.",
    "He took a trip to the shopping centre.",
    "The team enjoyed a brief run of victories.",
    "Her husband left her after twenty years of marriage.",
)


@dataclass(frozen=True)
class Site:
    """Where the page is, and keys for it."""

    address: str
    key: str
    key_without_samples: str
    running: Running


def frontier() -> dict:
    """What `textveil compare` writes, small and made up."""
    points = [
        {
            "way": way,
            "values": {"epsilon": [e, e, e, "exact"], "unchanged": [*(value, value - 0.02, value + 0.02), "sampled"]},
        }
        for way, shift in (("exponential", 0.0), ("laplace", 1.2))
        for e, value in ((1.0, 0.05), (2.0 + shift, 0.4), (4.0 + shift, 0.95))
    ]
    quantities = [
        {"key": "epsilon", "label": "epsilon", "side": "privacy", "better": "lower", "scale": "log", "note": ""},
        {
            "key": "unchanged",
            "label": "words that stay",
            "side": "utility",
            "better": "higher",
            "scale": "linear",
            "note": "",
        },
    ]
    ways = [
        {"key": "exponential", "label": "Exponential", "colour": 0, "mark": 0, "status": "proved", "reason": ""},
        {"key": "laplace", "label": HOSTILE, "colour": 1, "mark": 1, "status": "refuted", "reason": "made up"},
    ]
    return {
        "format": "textveil frontier 1", "title": "A comparison", "about": {}, "findings": ["One finding."],
        "quantities": quantities, "ways": ways, "points": points,
    }  # fmt: skip


def warm(client):
    """Compile what the first request would wait for: `--quick` leaves that out."""
    for mechanism in ("words", "nouns", "answers"):
        client.post("/v1/page/samples", json={"mechanism": mechanism, "text": TEXT}).raise_for_status()
    client.post("/v1/page/word", json={"mechanism": "words", "word": "ohio"}).raise_for_status()


def enter(page, key):
    page.fill("#key", key)
    page.click("#key-form button")


def shoot(page, name):
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.mouse.move(0, 0)
    page.wait_for_timeout(200)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


def until(page, said, seconds=15):
    """Wait until an expression is true. Playwright's own way to wait is eval, which the page's policy forbids."""
    ends = time.monotonic() + seconds
    while not page.evaluate(said):
        assert time.monotonic() < ends, said
        page.wait_for_timeout(20)
