import os

from threadpoolctl import threadpool_info

from textveil.compiled import over_threads


def threads_of_blas():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_results_come_in_order():
    assert list(over_threads(lambda n: n * n, range(100), threads=3)) == [n * n for n in range(100)]


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
