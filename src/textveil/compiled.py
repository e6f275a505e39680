"""How inner loops are compiled and spread over threads.

Kernels release the GIL and never start threads of their own: parallel work is a plain thread pool over
tiles, so kernels may run from any number of threads and processes, forked ones included.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any, TypeVar

import numba
from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile an inner loop to machine code, cached on disk, running without the GIL."""
    kernel: Callable[..., Any] = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return kernel


def compiled_reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop whose sums and maxima may be taken in any order, so that they use vector registers.

    Only for finite numbers: NaN is not looked for.
    """
    allowed = {"reassoc", "nsz", "nnan"}
    kernel: Callable[..., Any] = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=allowed)(function)
    return kernel


def thread_count() -> int:
    """Threads for compiled work: TEXTVEIL_THREADS, else the cores this process may use."""
    asked = os.environ.get("TEXTVEIL_THREADS")
    return max(1, int(asked)) if asked else len(os.sched_getaffinity(0))


def over_threads(
    work: Callable[[Item], Result], items: Iterable[Item], *, threads: int | None = None
) -> Iterator[Result]:
    """Apply `work` to each item on a pool of threads and yield the results in order.

    BLAS is held to one thread meanwhile, so that the cores are not fought over. At most three items per
    thread are in flight, which bounds memory.
    """
    count = threads or thread_count()
    with _libraries(len(sys.modules)).limit(limits=1, user_api="blas"):
        if count == 1:
            yield from map(work, items)
            return
        with ThreadPoolExecutor(count) as pool:
            pending: deque[Future[Result]] = deque()
            for item in items:
                pending.append(pool.submit(work, item))
                if len(pending) >= 3 * count:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()


@lru_cache(maxsize=1)
def _libraries(_modules: int) -> ThreadpoolController:
    """The libraries with threads of their own; to find them takes a millisecond, so only when a module has come."""
    return ThreadpoolController()
