"""How fast the page is on this machine. The limits are those of the issue, with room for a busy machine."""

from __future__ import annotations

import os
import statistics

from tests.page.looking import TEXT, until

# Machines that run tests are busy with other tests; alone the page must keep to 1 and 0.15 seconds.
ROOM = float(os.environ.get("TEXTVEIL_ROOM", "4"))


def test_something_useful_is_painted_within_a_second(visit, capsys):
    with visit(key=None) as page:
        page.wait_for_selector("#entrance:not([hidden])")
        painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    with capsys.disabled():
        print(f"\npage: first contentful paint {painted:.0f} ms, loaded {loaded:.0f} ms")  # noqa: T201
    assert painted < 1000 * ROOM


def test_the_slider_gives_new_samples_of_a_sentence_within_150_milliseconds(visit, capsys):
    with visit() as page:
        page.wait_for_selector("#samples li")
        page.fill("#text", TEXT)
        until(page, "document.querySelectorAll('#original .word').length === 8")
        page.wait_for_timeout(300)
        taken = page.evaluate(
            """async () => {
              const slider = document.getElementById("epsilon"), list = document.getElementById("samples");
              const times = [];
              for (let stop = 0; stop < slider.max; stop += 1) {
                const drawn = new Promise((seen) => {
                  new MutationObserver((_, it) => { it.disconnect(); seen(); }).observe(list, { childList: true });
                });
                const began = performance.now();
                slider.value = stop;
                slider.dispatchEvent(new Event("input"));
                await drawn;
                await new Promise(requestAnimationFrame);
                times.push(performance.now() - began);
              }
              return times;
            }"""
        )
    middle, slowest = statistics.median(taken), max(taken)
    with capsys.disabled():
        print(f"\npage: slider to new samples: median {middle:.0f} ms, slowest {slowest:.0f} ms")  # noqa: T201
    assert middle < 150 * ROOM
