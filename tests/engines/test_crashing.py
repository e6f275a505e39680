"""kill -9 of workers at random moments: whatever dies, the output is that of a run in which nothing died."""

from __future__ import annotations

import random
import threading

import psutil
import pytest
from tests.engines.conftest import hostile, lines

from textveil.engines import RayEngine
from textveil.jobs import RunStoppedError

FILES, KILLS = 30, 12


class Killer(threading.Thread):
    """Kills a worker of Ray, whichever, every other second."""

    def __init__(self, kills):
        super().__init__(daemon=True)
        self.ended = threading.Event()
        self.left = kills
        self.chance = random.Random(0)  # noqa: S311 - moments

    def run(self):
        while self.left and not self.ended.wait(self.chance.uniform(0.5, 3)):
            running = [each for each in psutil.Process().children(recursive=True) if "ray::Worker.do" in each.name()]
            if running:
                self.chance.choice(running).kill()
                self.left -= 1


@pytest.mark.soak
def test_workers_killed_at_random_moments_change_no_byte(ray, released, rewriter, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number:02}.csv").write_text("id,text\n" + "".join(f"5,{line}\n" for line in lines(400, number)))
    local = released(folder, tmp_path / "local", rewriter)
    work, killer = hostile(rewriter, tmp_path / "none", pause=0.2), Killer(KILLS)
    killer.start()
    while True:
        try:
            out = released(folder, tmp_path / "out", work, engine=RayEngine(workers=3))
            break
        except RunStoppedError:
            # Three deaths on one file by chance: the same command goes on.
            continue
    killer.ended.set()
    killer.join()
    assert out == local
    assert killer.left < KILLS / 2
