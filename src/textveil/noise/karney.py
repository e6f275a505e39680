"""The compiled part of `exact`: coins of exactly rational or exponential bias, from a row of uniform words.

A cursor walks over the words of one item. When they run out in the middle of a number, the number is given up
and drawn again from its first word once more words are there: the same words give the same number, so the law
is not touched by where a row happens to end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from textveil.compiled import compiled
from textveil.elementary import instruction, multiply_high

_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
# Slots of the state: where the words are, how many, the next one, coins left, their bits, words shown of v.
_WORDS, _SIZE, _NEXT, _COINS, _BITS, _REVEALED, _V = (np.uint64(slot) for slot in range(7))
# Words of v that a number may reveal: the last is reached with a probability below 2^-700.
_DEPTH = np.uint64(64)
_SLOTS = 7 + 64


# The state is passed as an address: an array would drag its reference count through every small function.
@instruction
def _get(_typing: Any, _address: Any, _slot: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.load(_pointer(builder, *args))

    return types.uint64(types.uint64, types.uint64), generate


@instruction
def _set(_typing: Any, _address: Any, _slot: Any, _value: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(builder, *args[:2]))
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.uint64), generate


def _pointer(builder: Any, address: Any, slot: Any) -> Any:
    return builder.gep(builder.inttoptr(address, ir.IntType(64).as_pointer()), [slot])


@compiled
def draw_items(words, sigmas, continuous, progress, out):  # type: ignore[no-untyped-def]
    """Draw coordinates of every row until it is full or its words run out.

    `progress` holds the next word and the next coordinate of each row and is moved on.
    """
    slots = np.zeros(_SLOTS, dtype=np.uint64)
    state = np.uint64(slots.ctypes.data)
    for i in range(words.shape[0]):
        sigma = np.uint64(sigmas[i])
        slots[_WORDS], slots[_SIZE] = np.uint64(words[i].ctypes.data), np.uint64(words.shape[1])
        for place in range(progress[i, 1], out.shape[1]):
            slots[_NEXT], slots[_COINS] = np.uint64(progress[i, 0]), _ZERO
            value = _number(state, sigma, continuous)
            if _ran_out(state):
                break
            out[i, place] = value
            progress[i, 0], progress[i, 1] = np.int64(slots[_NEXT]), place + 1


@compiled
def _number(state, sigma, continuous):  # type: ignore[no-untyped-def]
    """Return sign * (k sigma + j), or sign * (k sigma + j + 1) for a continuous number k sigma + j + v."""
    while not _ran_out(state):
        k = 0
        while _exp_half(state) and not _ran_out(state):
            k += 1
        accepted = True
        for _ in range(k * (k - 1)):
            if not _exp_half(state):
                accepted = False
                break
        if not accepted:
            continue
        negative = _coin(state)
        j = _below(state, sigma)
        # Otherwise the discrete zero would come with both signs and be counted twice.
        if negative and not continuous and k == 0 and j == _ZERO:
            continue
        _set(state, _REVEALED, _ZERO)
        for _ in range(k + 1):
            if not _exp_part(state, np.uint64(k), j, sigma, continuous):
                accepted = False
                break
        if accepted:
            size = k * np.int64(sigma) + np.int64(j) + np.int64(continuous)
            return -size if negative else size
    return 0


@compiled
def _ran_out(state):  # type: ignore[no-untyped-def]
    return _get(state, _NEXT) > _get(state, _SIZE)


@compiled
def _word(state):  # type: ignore[no-untyped-def]
    place = _get(state, _NEXT)
    _set(state, _NEXT, place + _ONE)
    return _get(_get(state, _WORDS), place) if place < _get(state, _SIZE) else _ZERO


@compiled
def _coin(state):  # type: ignore[no-untyped-def]
    left, bits = _get(state, _COINS), _get(state, _BITS)
    if left == _ZERO:
        left, bits = np.uint64(64), _word(state)
    _set(state, _COINS, left - _ONE)
    _set(state, _BITS, bits >> _ONE)
    return bits & _ONE == _ONE


@compiled
def _below(state, n):  # type: ignore[no-untyped-def]
    """Lemire (2019): exactly uniform below n."""
    word = _word(state)
    if word * n < n:
        threshold = (_ZERO - n) % n
        while word * n < threshold and not _ran_out(state):
            word = _word(state)
    return multiply_high(word, n)


@compiled
def _less(state, j, sigma, continuous):  # type: ignore[no-untyped-def]
    """Whether U sigma < j + v for a fresh uniform U, both revealed a word at a time until they differ.

    With w the next word of U and v_1 that of v the question becomes U' sigma < (j 2^64 + v_1 - w sigma) + v',
    decided unless the bracket lies in [0, sigma); then it is the same question again.
    """
    depth = _ZERO
    while not _ran_out(state):
        word = _word(state)
        high, low = multiply_high(word, sigma), word * sigma
        if j < high:
            return False
        if j > high + _ONE:
            return True
        v = _revealed(state, depth) if continuous else _ZERO
        whole = high + _ONE if v < low else high
        if j != whole:
            return j > whole
        j = v - low
        if j >= sigma:
            return True
        depth += _ONE
    return False


@compiled
def _revealed(state, depth):  # type: ignore[no-untyped-def]
    if depth >= _DEPTH:
        return _ZERO
    if depth == _get(state, _REVEALED):
        _set(state, _V + depth, _word(state))
        _set(state, _REVEALED, depth + _ONE)
    return _get(state, _V + depth)


@compiled
def _exp_half(state):  # type: ignore[no-untyped-def]
    """Be true with probability exp(-1/2): of coins of bias 1/2, 1/4, 1/6, ... an odd one is first to fail."""
    if not _coin(state):
        return True
    if not (_coin(state) and _coin(state)):
        return False
    i = _TWO + _ONE
    while _less(state, _ONE, _TWO * i, False):
        i += _ONE
    return i & _ONE == _ONE


@compiled
def _exp_part(state, k, j, sigma, continuous):  # type: ignore[no-untyped-def]
    """Be true with probability exp(-x (2k + x) / (2k + 2)), x = (j + v) / sigma: a series as above."""
    i = _ONE
    twice = _TWO * k * sigma
    while (
        (i == _ONE or _less(state, _ONE, i, False))
        and _less(state, j, sigma, continuous)
        and _less(state, twice + j, twice + _TWO * sigma, continuous)
    ):
        i += _ONE
    return i & _ONE == _ONE
