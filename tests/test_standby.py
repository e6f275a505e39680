import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.interrupts import interrupted

from textveil import standby
from textveil.standby import array_at, share, shared, standing_by


@shared
def count_up(arguments, part):
    given = array_at(arguments, 2, np.int64)
    array_at(given[0], given[1], np.int64)[part] += 1
    return 1


@shared
def meet(arguments, part):
    """Wait for the other of two parts, for a while, and say at the end that it came."""
    given = array_at(arguments, 2, np.int64)
    begun, seen = array_at(given[0], (2, 2), np.int64)
    standby._write(np.int64(begun.ctypes.data) + 8 * part, 1)
    left = given[1]
    while left and not standby._read(np.int64(begun.ctypes.data) + 8 * (1 - part)):
        standby._give_way()
        left -= 1
    if part:
        # The first part is over long before.
        for _ in range(2000):
            standby._give_way()
    seen[part] = left > 0
    return 1


@shared
def fail_once(arguments, part):
    given = array_at(arguments, 1, np.int64)
    return np.empty(-given[0] if part == 5 else 1).size


PATIENCE = 1 << 11


def counted(board, parts, room):
    """How often each part was done."""
    times = np.zeros(room, dtype=np.int64)
    assert share(board, count_up(), np.array([times.ctypes.data, room]), parts)
    return times


def met(board, patience):
    places = np.zeros((2, 2), dtype=np.int64)
    share(board, meet(), np.array([places.ctypes.data, patience]), 2)
    return places[1].tolist()


def found_together():
    """What was found until somebody came, who may have gone to sleep just when he was counted on."""
    found, end = set(), time.monotonic() + 60
    while not any(first for first, _ in found) and time.monotonic() < end:
        with standing_by(1) as board:
            if board is not None:
                found.add(tuple(met(board, PATIENCE)))
    return found


def everybody_sleeps():
    end = time.monotonic() + 30
    while standby._standby._watches:
        assert time.monotonic() < end
        time.sleep(0.001)
    return True


@pytest.mark.parametrize("parts", [0, 1, 2, 7, 1000])
@pytest.mark.parametrize("helpers", [1, 3])
def test_every_part_is_done_once(parts, helpers):
    for _ in range(20):
        with standing_by(helpers) as board:
            times = counted(board, parts, 1000)
        assert (times[:parts] == 1).all()
        assert (times[parts:] == 0).all()


def test_parts_are_done_at_the_same_time_and_all_are_done_in_the_end():
    for _ in range(10):
        found = found_together()
        assert (1, 1) in found
        assert found <= {(1, 1), (0, 1)}


def test_one_thread_alone_does_one_part_after_the_other():
    with standing_by(1) as board:
        pass
    assert everybody_sleeps()
    assert met(board, 1000) == [0, 1]


def test_threads_that_come_and_go_miss_nothing_and_do_nothing_twice():
    generator = np.random.default_rng(0)
    for wait in generator.exponential(0.0005, 2000):
        with standing_by(2) as board:
            for parts in generator.integers(1, 40, 5):
                assert counted(board, int(parts), 50).tolist() == [1] * parts + [0] * (50 - parts)
        time.sleep(wait if wait > 0.0005 else 0)


def test_threads_that_find_nothing_to_do_sleep():
    with standing_by(2) as board:
        counted(board, 10, 10)
    before = time.process_time()
    assert everybody_sleeps()
    time.sleep(0.2)
    assert time.process_time() - before < 0.2


def test_who_asks_while_others_are_helped_works_alone():
    with standing_by(1) as board, standing_by(1) as other:
        assert board is not None
        assert other is None
    with standing_by(0) as nobody, standing_by(1) as board:
        assert nobody is None
        assert board is not None


def test_callers_of_several_threads_do_not_disturb_each_other():
    wrong = []

    def call():
        for _ in range(300):
            with standing_by(1) as board:
                if board is not None and counted(board, 30, 30).tolist() != [1] * 30:
                    wrong.append(board)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_work_is_done_where_no_thread_can_be_had(monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    assert everybody_sleeps()
    monkeypatch.setattr(standby._standby, "_threads", ThreadPoolExecutor(1))
    monkeypatch.setattr("threading.Thread.start", refuse)
    for _ in range(20):
        with standing_by(1) as board:
            assert counted(board, 5, 5).tolist() == [1] * 5
    # Nothing waits for threads that may come later.
    assert standby._standby._threads._work_queue.empty()
    assert not standby._standby._watches


def test_no_more_threads_look_out_than_there_are_other_cores():
    assert everybody_sleeps()
    with standing_by(1000):
        assert len(standby._standby._watches) == len(os.sched_getaffinity(0)) - 1


def test_a_part_that_failed_is_not_done(monkeypatch):
    told = []
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: told.append(unraisable.exc_type))
    with standing_by(1) as board:
        assert not share(board, fail_once(), np.array([1]), 20)
    assert told == [ValueError]
    with standing_by(1) as board:
        assert share(board, fail_once(), np.array([-1]), 20)


def test_who_is_interrupted_anywhere_leaves_the_place_to_others():
    def work():
        with standing_by(1):
            pass

    assert interrupted(work) > 500
    with standing_by(1) as board:
        assert board is not None


def test_a_forked_child_has_threads_of_its_own():
    with standing_by(1) as board:
        counted(board, 5, 5)
        if (child := os.fork()) == 0:
            os._exit(0 if (1, 1) in found_together() else 1)
    patience = threading.Timer(60, os.kill, (child, signal.SIGKILL))
    patience.start()
    assert os.waitpid(child, 0)[1] == 0
    patience.cancel()


PROGRAM = """
import atexit
from tests.test_standby import counted, standing_by

def work():
    with standing_by(1) as board:
        assert counted(board, 9, 9).tolist() == [1] * 9
    print("done", flush=True)

atexit.register(work)
work()
"""


def test_a_program_ends_though_threads_look_out_and_may_work_while_it_does():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\ndone\n", "")
