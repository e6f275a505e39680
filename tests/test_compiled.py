import io
import os
import signal
import threading
import time

import pytest
from tests.interrupts import interrupted
from threadpoolctl import threadpool_info

from textveil.compiled import compiled, compiled_reduction, one_thread_of_blas, over_threads, thread_count
from textveil.errors import InvalidInputError
from textveil.progress import progress


def threads_of_blas():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_results_come_in_order():
    assert list(over_threads(lambda n: n * n, range(100), threads=3)) == [n * n for n in range(100)]


def used_threads(count):
    return set(over_threads(lambda _: (time.sleep(0.001), threading.get_ident())[1], range(20), threads=count))


def test_threads_are_used_again():
    first = used_threads(2)
    assert len(first) == 2
    assert used_threads(2) == first


def test_work_may_spread_work_over_threads_itself():
    def work(n):
        return sum(over_threads(lambda m: n * m, range(10), threads=2))

    assert list(over_threads(work, range(10), threads=2)) == [45 * n for n in range(10)]


def test_no_more_threads_are_kept_than_some_calls_need():
    before = threading.active_count()
    at_once = [over_threads(lambda n: n, range(20), threads=3) for _ in range(20)]
    for one in at_once:
        next(one)
    for one in at_once:
        list(one)
    assert threading.active_count() - before <= 4 * 3


@pytest.mark.parametrize("end", ["failed", "abandoned"])
def test_nothing_goes_on_behind_work_that_ended_early(end):
    done = []

    def work(n):
        if n == 1 and end == "failed":
            raise ValueError(n)
        time.sleep(0.002)
        done.append(n)

    results = over_threads(work, range(100), threads=2)
    if end == "failed":
        with pytest.raises(ValueError, match="1"):
            list(results)
    else:
        next(results)
        results.close()
    seen = list(done)
    time.sleep(0.02)
    assert done == seen
    assert len(seen) < 10
    assert list(over_threads(lambda n: n, range(5), threads=2)) == [0, 1, 2, 3, 4]


def test_a_forked_child_starts_threads_of_its_own():
    abandoned = over_threads(lambda n: n, range(50), threads=2)
    next(abandoned)
    # These wait for the next call, in the parent only.
    used_threads(2)
    if (child := os.fork()) == 0:
        abandoned.close()
        os._exit(0 if len(used_threads(2)) == 2 else 1)
    patience = threading.Timer(30, os.kill, (child, signal.SIGKILL))
    patience.start()
    assert os.waitpid(child, 0)[1] == 0
    patience.cancel()
    abandoned.close()


def test_blas_has_its_threads_again_when_the_last_is_done():
    before = threads_of_blas()
    first, second = (over_threads(lambda n: n, range(20), threads=2) for _ in range(2))
    next(first)
    next(second)
    assert set(threads_of_blas()) == {1}
    list(first)
    assert set(threads_of_blas()) == {1}
    list(second)
    assert threads_of_blas() == before


def test_blas_has_its_threads_again_after_interrupts_anywhere():
    before = threads_of_blas()

    def work():
        with one_thread_of_blas():
            pass

    assert interrupted(work) > 500
    work()
    assert threads_of_blas() == before
    assert max(before) > 1 or len(os.sched_getaffinity(0)) == 1


def test_a_child_that_is_forked_meanwhile_has_the_threads_of_blas_again():
    before = threads_of_blas()
    held = over_threads(lambda n: n, range(3), threads=1)
    next(held)
    if (child := os.fork()) == 0:
        restored = threads_of_blas() == before
        # What the parent holds is let go of in the child too, and must not count there.
        held.close()
        again = over_threads(lambda n: n, range(3), threads=1)
        next(again)
        os._exit(0 if restored and set(threads_of_blas()) == {1} else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert set(threads_of_blas()) == {1}
    held.close()
    assert threads_of_blas() == before


def test_kernels_run_where_nothing_can_be_kept(monkeypatch):
    monkeypatch.setattr("numba.core.caching.CacheImpl._locator_classes", [])

    def twice(x):
        return 2 * x

    assert compiled(twice)(4) == 8
    assert compiled_reduction(twice)(4) == 8


@pytest.mark.parametrize(("where", "told"), [("textveil.text", 1), ("somebody.else", 0)])
def test_a_first_run_says_on_a_terminal_why_it_takes_longer(monkeypatch, capsys, where, told):
    monkeypatch.setattr("textveil.compiled._FIRST_RUN._said", False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    # What an earlier run of this test has kept is not compiled again.
    monkeypatch.setattr("numba.core.caching.CacheImpl._locator_classes", [])
    for addend in (1, 2):

        def more(x, addend=addend):
            return x + addend

        more.__module__ = where
        compiled(more)(1)
    assert capsys.readouterr().err.count("compiling") == told


@pytest.mark.parametrize("errors", [None, io.StringIO(), object()])
def test_a_program_without_a_terminal_or_any_errors_compiles_too(monkeypatch, errors):
    if isinstance(errors, io.StringIO):
        errors.close()
    monkeypatch.setattr("textveil.compiled._FIRST_RUN._said", False)
    monkeypatch.setattr("numba.core.caching.CacheImpl._locator_classes", [])
    monkeypatch.setattr("sys.stderr", errors)

    def once(x):
        return x + 1

    once.__module__ = "textveil.text"
    assert compiled(once)(1) == 2
    with progress("Waiting", 1) as step:
        step()


@pytest.mark.parametrize("asked", ["two", "0", "-1", "1.5"])
def test_a_number_of_threads_that_is_none_is_refused(monkeypatch, asked):
    monkeypatch.setenv("TEXTVEIL_THREADS", asked)
    with pytest.raises(InvalidInputError, match="TEXTVEIL_THREADS"):
        thread_count()
