"""Short compiled work, shared with threads that stand by.

To wake a thread takes some 50 microseconds, and it may begin on the core of the one that woke it. So threads that have
helped look out for more work, for a millisecond or so, and give way to whatever else would run there; then they sleep.
Work is a compiled function of the address of its arguments and of the number of a part. Whoever is awake takes the next
part, the caller too: it waits only for parts that others have begun.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types

from textveil.compiled import compiled
from textveil.elementary import function, instruction

_NUMBER = ir.IntType(64)
# A thread goes to sleep when it has looked out so often in vain, at .2 to .5 microseconds each.
_LOOKS = 2048
_PART = "int64(int64, int64)"
# A board has eight bytes each of whether there is work, the function, where its arguments lie, and how many parts it
# has; then, on cache lines of their own, of the next part, and of how many threads are at work besides the caller and
# how many parts are done.
_IS_OPEN, _FUNCTION, _ARGUMENTS, _PARTS, _NEXT, _AT_WORK, _DONE, _BYTES = 0, 8, 16, 24, 64, 128, 136, 192


@instruction
def _read(_typing: Any, _address: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.load_atomic(builder.inttoptr(args[0], _NUMBER.as_pointer()), "seq_cst", 8)

    return types.int64(types.int64), generate


@instruction
def _write(_typing: Any, _address: Any, _value: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        builder.store_atomic(args[1], builder.inttoptr(args[0], _NUMBER.as_pointer()), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@instruction
def _add(_typing: Any, _address: Any, _value: Any) -> Any:
    """Add to a number and return what it was."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", builder.inttoptr(args[0], _NUMBER.as_pointer()), args[1], "seq_cst")

    return types.int64(types.int64, types.int64), generate


@instruction
def _do(_typing: Any, _function: Any, _arguments: Any, _part: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_NUMBER, [_NUMBER, _NUMBER])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return types.int64(types.int64, types.int64, types.int64), generate


@instruction
def _give_way(_typing: Any) -> Any:
    """Let others run on this core, if any want to."""

    def generate(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        builder.call(function(builder, "sched_yield", ir.IntType(32)), [])
        return context.get_dummy_value()

    return types.void(), generate


@instruction
def _pointer(_typing: Any, _address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.voidptr(types.int64), generate


@compiled
def array_at(address, shape, kind):  # type: ignore[no-untyped-def]
    """Return the array that lies at an address, for work that was given the address alone."""
    return numba.carray(_pointer(address), shape, kind)  # type: ignore[attr-defined]


@compiled
def share(board, work, arguments, parts):  # type: ignore[no-untyped-def]
    """Do all parts of a work, with those who stand by at a board, and return when none is at work any more.

    Returns whether all parts are done: one that lacked memory is not.
    `arguments` is an array, that it may be there for so long; those whose addresses it holds are the caller's to keep.
    The caller is the only one who writes on the board. Whoever comes counts itself before it looks again whether there
    is work, and the caller counts them after it has said that there is none, so that it misses nobody.
    """
    _write(board + _FUNCTION, work)
    _write(board + _ARGUMENTS, arguments.ctypes.data)
    _write(board + _PARTS, parts)
    _write(board + _NEXT, 0)
    _write(board + _DONE, 0)
    _write(board + _IS_OPEN, 1)
    _take_parts(board)
    _write(board + _IS_OPEN, 0)
    while _read(board + _AT_WORK):
        _give_way()
    return _read(board + _DONE) == parts


@compiled
def _take_parts(board):  # type: ignore[no-untyped-def]
    work, arguments, parts = _read(board + _FUNCTION), _read(board + _ARGUMENTS), _read(board + _PARTS)
    part = _add(board + _NEXT, 1)
    while part < parts:
        _add(board + _DONE, _do(work, arguments, part))
        part = _add(board + _NEXT, 1)


@compiled
def _look_out(board, looks):  # type: ignore[no-untyped-def]
    """Help whoever has work until there was none for so many looks."""
    left = looks
    while left:
        left -= 1
        if _read(board + _IS_OPEN) and _read(board + _NEXT) < _read(board + _PARTS):
            _add(board + _AT_WORK, 1)
            if _read(board + _IS_OPEN):
                _take_parts(board)
                left = looks
            _add(board + _AT_WORK, -1)
        _give_way()


def shared(work: Callable[..., Any]) -> Callable[[], int]:
    """Compile what does one part of a work when it is first needed; the result returns its address.

    The function returns 1. What it raises is printed, and 0 is returned for it.
    """
    kept: list[Any] = []

    def found() -> int:
        if not kept:
            options: dict[str, Any] = {"error_model": "numpy"}
            try:
                kept.append(numba.cfunc(_PART, cache=True, **options)(work))
            except RuntimeError:
                # Neither the package nor the user's cache can be written to.
                kept.append(numba.cfunc(_PART, **options)(work))
        return int(kept[0].address)

    return found


class _Standby:
    """Threads that help one caller at a time."""

    def __init__(self) -> None:
        self._room = np.zeros(2 * _BYTES, dtype=np.uint8)
        start = self._room.ctypes.data
        self.board = start + -start % _NEXT
        self.begin()

    def begin(self) -> None:
        """Have no threads yet, as in a forked child."""
        self._room[:] = 0
        self.callers: list[object] = []
        self._threads = ThreadPoolExecutor(os.cpu_count())
        self._watches: set[object] = set()

    def wake(self, count: int) -> None:
        """Have so many threads look out, but no more than have a core besides the caller's."""
        missing = min(count, len(os.sched_getaffinity(0)) - 1) - len(self._watches)
        if missing > 0:
            # Compiled on a thread of its own, it would be compiled for ever in a child that is forked meanwhile.
            _look_out(self.board, 0)
        for _ in range(missing):
            watch = object()
            try:
                self._watches.add(watch)
                self._threads.submit(self._watch, watch)
            except BaseException as error:
                self._watches.discard(watch)
                if not isinstance(error, RuntimeError):
                    raise
                # When a program ends, or may have no more threads, the caller does the work alone.
                self._threads.shutdown(wait=False, cancel_futures=True)
                self._threads = ThreadPoolExecutor(os.cpu_count())

    def _watch(self, watch: object) -> None:
        _look_out(self.board, _LOOKS)
        self._watches.discard(watch)


_standby = _Standby()
os.register_at_fork(after_in_child=_standby.begin)


@contextmanager
def standing_by(count: int) -> Iterator[int | None]:
    """Have threads stand by, so many, and give their board; None if none is asked for or they help somebody else."""
    if count < 1:
        yield None
        return
    callers, own = _standby.callers, object()
    try:
        # A lock would be lost by an interrupt right after it was taken.
        callers.append(own)
        if callers[0] is own:
            _standby.wake(count)
            yield _standby.board
        else:
            yield None
    finally:
        if own in callers:
            callers.remove(own)
