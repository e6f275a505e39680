"""What an engine is: one function, applied to many numbers, in any process and any order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, Protocol, TypeAlias

# Of the number of a thing and the secret key. Done again, by another worker say, it must give the same.
Task: TypeAlias = Callable[[int, bytes], Any]


class Engine(Protocol):
    """Applies a task to numbers on workers, and does again what a lost worker left undone."""

    def over(self, task: Task, numbers: Sequence[int], *, secret: bytes) -> Generator[tuple[int, Any], None, None]:
        """Yield each number, as soon as it is done, with what the task gave.

        Parameters
        ----------
        task : what is done; it holds nothing secret
        numbers : the things to do, in the order in which they are begun
        secret : the key that the task is given; it is never sent or stored as it is
        """
        ...
