"""How inner loops are compiled and spread over threads.

Kernels release the GIL and never start threads of their own: parallel work is a plain thread pool over
tiles, so kernels may run from any number of threads and processes, forked ones included. What is too short for
a pool is shared with threads that stand by (textveil.standby).
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar
from weakref import ref

import numba
from numba.core import event
from threadpoolctl import ThreadpoolController

from textveil.errors import InvalidInputError
from textveil.progress import on_terminal

Item = TypeVar("Item")
Result = TypeVar("Result")

# Pools of one size that are kept for the next calls.
_MOST_KEPT = 4


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile an inner loop to machine code, cached on disk, running without the GIL."""
    return _kernel(function, fastmath=False)


def compiled_reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop whose sums and maxima may be taken in any order, so that they use vector registers.

    Only for finite numbers: NaN is not looked for.
    """
    return _kernel(function, fastmath={"reassoc", "nsz", "nnan"})


def _kernel(function: Callable[..., Any], fastmath: bool | set[str]) -> Callable[..., Any]:
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    kernel: Callable[..., Any]
    try:
        kernel = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        # Neither the package nor the user's cache can be written to.
        kernel = numba.njit(**options)(function)
    return kernel


class _FirstRun(event.Listener):
    """Says on a terminal, once, why a first run begins seconds later than the next."""

    def __init__(self) -> None:
        self._said = False

    def on_start(self, event: Any) -> None:
        kernel = event.data["dispatcher"].py_func
        if self._said or not str(kernel.__module__).startswith("textveil.") or not on_terminal():
            return
        self._said = True
        print("textveil: compiling for this processor, which takes some seconds", file=sys.stderr)  # noqa: T201

    def on_end(self, event: Any) -> None:
        """Say nothing: most kernels take less than a second."""


_FIRST_RUN = _FirstRun()
event.register("numba:compile", _FIRST_RUN)  # type: ignore[no-untyped-call]


def thread_count() -> int:
    """Threads for compiled work: TEXTVEIL_THREADS, else the cores this process may use."""
    asked = os.environ.get("TEXTVEIL_THREADS")
    if not asked:
        return len(os.sched_getaffinity(0))
    if not asked.isdecimal() or int(asked) < 1:
        raise InvalidInputError(f"TEXTVEIL_THREADS must be a whole number from 1 (got {asked!r}); unset it for all")
    return int(asked)


def over_threads(
    work: Callable[[Item], Result], items: Iterable[Item], *, threads: int | None = None
) -> Iterator[Result]:
    """Apply `work` to each item on a pool of threads and yield the results in order.

    BLAS is held to one thread meanwhile, so that the cores are not fought over. At most three items per
    thread are in flight, which bounds memory.
    """
    count = threads or thread_count()
    with one_thread_of_blas():
        if count == 1:
            yield from map(work, items)
            return
        with _pool(count) as pool:
            pending: deque[Future[Result]] = deque()
            for item in items:
                pending.append(pool.submit(work, item))
                if len(pending) >= 3 * count:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Apply `work` to a few items, each on a thread of its own, the first on this one, and return the results."""
    with one_thread_of_blas(), _pool(len(items) - 1) as pool:
        others = [pool.submit(work, item) for item in items[1:]]
        return [work(items[0]), *(other.result() for other in others)]


@contextmanager
def _pool(count: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of so many threads for one caller; those of earlier calls wait for the next, since starting takes long."""
    kept = _kept_pools[count]
    try:
        pool = kept.pop()
    except IndexError:
        pool = ThreadPoolExecutor(count)
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    if len(kept) < _MOST_KEPT:
        kept.append(pool)
    else:
        pool.shutdown()


_kept_pools: defaultdict[int, list[ThreadPoolExecutor]] = defaultdict(list)
# Threads are not there in a forked child.
os.register_at_fork(after_in_child=_kept_pools.clear)


class one_thread_of_blas:  # noqa: N801
    """Holds BLAS to one thread, until the last of those who hold it so lets go.

    Who was interrupted before he could let go is gone when another does.
    """

    def __enter__(self) -> None:
        with _blas.lock:
            _blas.holders.append(ref(self))
            _blas.hold()

    def __exit__(self, *_: object) -> None:
        with _blas.lock:
            _blas.holders = [holder for holder in _blas.holders if holder() not in (None, self)]
            if not _blas.holders:
                _blas.let_go()


class _Blas:
    """How many threads its libraries had before, and who holds them to one."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.holders: list[ref[one_thread_of_blas]] = []
        self._before: list[tuple[Any, int]] = []

    def hold(self) -> None:
        if not self._before:
            self._before = [(library, library.num_threads) for library in _libraries(len(sys.modules))]
        for library, _ in self._before:
            library.set_num_threads(1)

    def let_go(self) -> None:
        for library, threads in self._before:
            library.set_num_threads(threads)
        self._before = []

    def forget(self) -> None:
        """Begin anew: in a forked child nobody is there who would let go."""
        self.lock, self.holders = Lock(), []
        self.let_go()


_blas = _Blas()
os.register_at_fork(after_in_child=_blas.forget)


@lru_cache(maxsize=1)
def _libraries(_modules: int) -> list[Any]:
    """The libraries with threads of their own; to find them takes a millisecond, so only when modules have come."""
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)
