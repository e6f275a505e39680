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
