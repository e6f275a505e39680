"""Ray: workers in other processes, on this machine or on many.

Each worker is a Ray actor with one core. What the task holds (the vocabulary, tables) is put into Ray's object store
once, and the workers of a machine read it from shared memory. A worker is told the number of a file and gives back
counts and a digest: nothing private passes through Ray, and the key passes sealed.
"""

from __future__ import annotations

import errno
import os
import re
import socket
import warnings
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from textveil.compiled import thread_count
from textveil.engines.engine import Task
from textveil.engines.outcomes import Outcome, outcome_of
from textveil.engines.sealing import Recipient, seal
from textveil.errors import InvalidInputError, MissingDependencyError, require_count, require_number
from textveil.receipts import library

MOST_DEATHS = 3
# The greeting of a new worker, among the numbers of what it is to do.
_GREETING = -1
_MOST_WORKERS = 100_000
_ADDRESS = re.compile(r"(ray://)?[^\s/]+:\d{1,5}")
_PATIENCE_SECONDS = 10
# Sockets lie some 80 letters deeper, and their paths must have less than 108.
_MOST_LETTERS = 24


@dataclass(frozen=True, kw_only=True)
class RayEngine:
    """Workers of a Ray cluster; one on this machine is started for the run unless this process has one.

    Parameters
    ----------
    workers : how many, each with one core; by default as many as the cluster has
    address : of a cluster, "ray-head:6379" or "auto" say; by default the Ray of this process is used, or else one is
        started here and stopped at the end
    gpus : GPUs of each worker, 0.5 if two share one; Ray hides the others from it
    """

    workers: int | None = None
    address: str | None = None
    gpus: float = 0.0

    def __post_init__(self) -> None:
        if self.workers is not None and require_count("workers", self.workers) > _MOST_WORKERS:
            raise InvalidInputError(f"workers must be at most {_MOST_WORKERS:,} (got {self.workers!r})")
        if not 0 <= require_number("gpus", self.gpus) < float("inf"):
            raise InvalidInputError(f"gpus must be a finite number >= 0 (got {self.gpus!r})")
        if self.gpus > 1 and self.gpus != int(self.gpus):
            raise InvalidInputError(f"gpus must be a whole number or at most 1, a share of one (got {self.gpus!r})")
        if self.address not in (None, "auto") and not _ADDRESS.fullmatch(str(self.address)):
            raise InvalidInputError(f'address must be "auto" or a host:port, ray-head:6379 say (got {self.address!r})')

    def over(self, task: Task, numbers: Sequence[int], *, secret: bytes) -> Generator[tuple[int, Any], None, None]:
        """Yield each number, as soon as it is done, with what the task gave."""
        with self._connected() as ray:
            self._require_gpus(ray.cluster_resources().get("GPU", 0))
            crew = _Crew(ray, task, self.workers or int(ray.cluster_resources().get("CPU", 1)), self.gpus)
            try:
                yield from crew.work(numbers, secret)
            finally:
                crew.dismiss()

    @contextmanager
    def _connected(self, **more: Any) -> Iterator[Any]:
        ray = _library()
        if ray.is_initialized():
            if self.address is not None:
                raise InvalidInputError(
                    f"address={self.address!r} would do nothing, since this process has a Ray already; leave it out to "
                    "use that one, or call ray.shutdown() first"
                )
            yield ray
            return
        with _own_folder() as folder:
            options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
            if self.address is None:
                # A Ray of one's own reports nothing to its makers.
                os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
                options |= {"num_cpus": self.workers or thread_count(), "include_dashboard": False}
                options |= {"_temp_dir": folder, **more}
            try:
                self._begin(ray, options)
                yield ray
            finally:
                ray.shutdown()

    def _require_gpus(self, there: float) -> None:
        """Refuse to wait for GPUs that won't come; a cluster may get more machines while a run waits."""
        if self.address is None and self.gpus > there:
            raise InvalidInputError(
                f"gpus must be at most {there:g}, which is what Ray finds on this machine (got {self.gpus:g}); "
                "leave them out, or give the address of a cluster that has them"
            )

    def _begin(self, ray: Any, options: dict[str, Any]) -> None:
        try:
            if self.address not in (None, "auto"):
                # Ray itself tries for more than a minute, and prints what fails.
                host, port = str(self.address).removeprefix("ray://").rsplit(":", 1)
                socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE_SECONDS).close()
            with _silent():
                ray.init(self.address or "local", **options)
        except (OSError, RuntimeError, ValueError):
            where = "could be started" if self.address is None else f"answers at {self.address}"
            hint = "" if self.address is None else "; if it asks for a token, set RAY_AUTH_MODE=token"
            raise OSError(errno.ECONNREFUSED, f"no Ray {where}{hint}") from None


class Worker:
    """What runs in a worker's process: it does one thing at a time."""

    def __init__(self, task: Task) -> None:
        # One core a worker: its threads would only fight with other workers.
        os.environ["TEXTVEIL_THREADS"] = "1"
        self._task = task
        self._recipient = Recipient()

    def greet(self) -> tuple[bytes, str]:
        """Return for whom the key is to be sealed, and which library is here."""
        return self._recipient.public, library()

    def do(self, number: int, sealed: bytes) -> Outcome:
        """Do one thing; how it ended is returned, never raised."""
        return outcome_of(lambda: self._task(number, self._recipient.open(sealed)))


class _Crew:
    """The workers of a run and what each is doing."""

    def __init__(self, ray: Any, task: Task, size: int, gpus: float) -> None:
        self._ray = ray
        self._size = size
        self._shared = ray.put(task)
        # A worker that died has lost the key; a new one must be greeted, so Ray is not to restart it by itself.
        self._kind = ray.remote(num_cpus=1, num_gpus=gpus, max_restarts=0, max_task_retries=0)(Worker)
        self._calls: dict[Any, tuple[Any, int]] = {}
        self._sealed: dict[Any, bytes] = {}
        self._deaths: Counter[int] = Counter()

    def work(self, numbers: Sequence[int], secret: bytes) -> Iterator[tuple[int, Any]]:
        """Do all, each by a free worker; what a dead worker was doing is done again by another."""
        waiting = deque(numbers)
        for _ in range(min(self._size, len(waiting))):
            self._hire()
        while waiting or any(number != _GREETING for _, number in self._calls.values()):
            worker, number, answer = self._next_answer()
            if answer is None:
                self._lost(worker, number)
                if number != _GREETING:
                    waiting.appendleft(number)
                self._hire()
                continue
            if number == _GREETING:
                public, there = answer
                _require_same(there)
                # Those that died before were on a machine that was lost, say.
                self._deaths[_GREETING] = 0
                self._sealed[worker] = seal(secret, public)
            else:
                result = answer.result()
            # The worker goes on while the driver puts away what it gave.
            if waiting:
                following = waiting.popleft()
                self._calls[worker.do.remote(following, self._sealed[worker])] = worker, following
            else:
                # Ray ends a worker that nobody holds any more: its core is for the successor of one that dies.
                del self._sealed[worker]
            del worker
            if number != _GREETING:
                yield number, result

    def dismiss(self) -> None:
        """End all workers, whatever they are doing."""
        for worker, _ in self._calls.values():
            self._ray.kill(worker)

    def _hire(self) -> None:
        worker = self._kind.remote(self._shared)
        self._calls[worker.greet.remote()] = worker, _GREETING

    def _next_answer(self) -> tuple[Any, int, Any]:
        """Wait for a worker; return it, what it was doing, and its answer, None if it died."""
        call = self._ray.wait(list(self._calls), num_returns=1)[0][0]
        worker, number = self._calls.pop(call)
        try:
            return worker, number, self._ray.get(call)
        except self._ray.exceptions.RayError:
            return worker, number, None

    def _lost(self, worker: Any, number: int) -> None:
        self._sealed.pop(worker, None)
        self._deaths[number] += 1
        if self._deaths[number] < MOST_DEATHS:
            return
        what = (
            "new workers don't live: install the same textveil, with its dependencies, on every machine"
            if number == _GREETING
            else f"{MOST_DEATHS} workers died on the same file; if memory is short, take fewer of them"
        )
        raise OSError(errno.ECHILD, what)


@contextmanager
def _own_folder() -> Iterator[str]:
    """Make a private folder around that of a Ray, with its sockets, logs and spilled objects, which is open to all."""
    place = gettempdir()
    if len(place) > _MOST_LETTERS:
        place = "/tmp"  # noqa: S108 - the folder made in it is private
    with TemporaryDirectory(prefix="ray-", dir=place, ignore_cleanup_errors=True) as folder:
        yield f"{folder}/ray"


def _require_same(there: str) -> None:
    if there != library():
        raise InvalidInputError(f"a worker has {there}, but {library()} is here; install the same everywhere")


def _library() -> Any:
    try:
        with _silent():
            import ray
    except ImportError:
        raise MissingDependencyError("the engine ray needs the package ray: pip install 'textveil[ray]'") from None
    return ray


@contextmanager
def _silent() -> Iterator[None]:
    """Ray warns of its own future, which is nothing to whoever runs a release."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
