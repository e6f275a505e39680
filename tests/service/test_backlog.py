from contextlib import aclosing

import anyio
import pytest

from textveil.service.backlog import Backlog, UnreadError


def run(backlog, put, *, slow, closes_after=None):
    """Put pieces and take them, each after some time; what came, and the most that had been put and not taken."""
    came, ahead, added = [], [], []

    async def add():
        try:
            for piece in put:
                added.append(len(piece))
                await backlog.put(piece)
        finally:
            backlog.end()
        await backlog.all_read()

    async def take():
        async with aclosing(backlog.pieces()) as pieces:
            async for piece in pieces:
                await anyio.sleep(slow)
                ahead.append(sum(added) - sum(map(len, came)))
                came.append(piece)
                if len(came) == closes_after:
                    return

    async def both():
        async with anyio.create_task_group() as group:
            group.start_soon(add)
            group.start_soon(take)

    anyio.run(both)
    return came, max(ahead)


def test_pieces_come_in_order_and_no_more_wait_than_memory_may_hold():
    put = [bytes([n]) * 10 for n in range(50)]
    came, ahead = run(Backlog(100, 5.0), put, slow=0.001)
    assert came == put
    assert 100 < ahead <= 110
    assert run(Backlog(10**6, 5.0), put, slow=0.001)[1] == 500


def test_a_caller_that_does_not_read_is_not_waited_for_without_end():
    with pytest.raises(ExceptionGroup) as raised:
        run(Backlog(100, 0.05), [b"x" * 60] * 3, slow=2.0)
    assert raised.group_contains(UnreadError)


def test_a_caller_that_has_sent_all_must_read_even_if_little_waits():
    with pytest.raises(ExceptionGroup) as raised:
        run(Backlog(1000, 0.05), [b"x" * 60] * 3, slow=2.0)
    assert raised.group_contains(UnreadError)
    assert len(run(Backlog(1000, 0.5), [b"x" * 60] * 9, slow=0.1)[0]) == 9


def test_who_waits_is_told_that_the_caller_is_gone():
    with pytest.raises(ExceptionGroup) as raised:
        run(Backlog(100, 5.0), [b"x" * 60] * 9, slow=0.01, closes_after=1)
    assert raised.group_contains(anyio.BrokenResourceError)
