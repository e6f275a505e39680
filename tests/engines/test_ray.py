"""Runs on Ray: the bytes of a local run, whatever the number of workers and whoever dies."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.engines.conftest import KEY, content_of, hostile

import textveil as tv
from textveil.engines import RayEngine
from textveil.engines import ray as ray_engine
from textveil.engines.outcomes import WorkerError, outcome_of
from textveil.engines.ray import _Crew, _require_same
from textveil.engines.sealing import Recipient
from textveil.errors import InvalidInputError, MissingDependencyError
from textveil.jobs import RunStoppedError, Spending, plan, verify
from textveil.ledger import Ledger, State
from textveil.receipts import library

SCRIPT = Path(__file__).with_name("driving.py")
PRIVATE = "Maria has diabetes"


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_texts_are_released_as_in_one_process(ray, released, texts, rewriter, tmp_path, workers):
    local = released(texts, tmp_path / "local", rewriter)
    assert len(local[0]) == 5
    assert released(texts, tmp_path / "out", rewriter, engine=RayEngine(workers=workers)) == local
    assert verify(tmp_path / "out").ok


def test_workers_use_the_device_of_the_vocabulary_and_release_the_same(ray, released, texts, rewriter, tmp_path):
    torch = pytest.importorskip("torch")
    exponential = rewriter.mechanism
    there = tv.TextRewriter(tv.Exponential(exponential.vocabulary.on("cpu"), epsilon=2.0, radius=3.0))

    def device(number, secret):
        return str(pickle.loads(sent).mechanism.vocabulary.device)  # noqa: S301

    sent = pickle.dumps(there)
    assert list(RayEngine(workers=1).over(device, [0], secret=KEY)) == [(0, str(torch.device("cpu")))]
    local = released(texts, tmp_path / "local", rewriter)
    assert released(texts, tmp_path / "out", there, engine=RayEngine(workers=2)) == local


def test_workers_that_are_killed_in_the_middle_change_no_byte_and_cost_nothing(
    ray, released, texts, rewriter, tmp_path
):
    ledger = Ledger(str(tmp_path / "ledger.db"))
    ledger.create("tickets", unit="record", epsilon=1000)
    spending = Spending(ledger=str(tmp_path / "ledger.db"), dataset="tickets")
    work = hostile(rewriter, tmp_path / "deaths", deaths=2)
    local, _ = released(texts, tmp_path / "local", rewriter)
    out, receipt = released(texts, tmp_path / "out", work, engine=RayEngine(workers=2), spending=spending)
    assert len(list((tmp_path / "deaths").iterdir())) == 2
    assert out == local
    (entry,) = ledger.history("tickets")
    assert entry.state is State.COMMITTED
    assert receipt["ledger"]["entry"] == entry.id


def test_a_file_that_kills_every_worker_stops_the_run_which_goes_on_elsewhere(ray, released, texts, rewriter, tmp_path):
    local = released(texts, tmp_path / "local", rewriter)
    work = hostile(rewriter, tmp_path / "deaths", deaths=10**6)
    with pytest.raises(RunStoppedError, match=r"3 workers died on the same file.*give the same command again"):
        released(texts, tmp_path / "out", work, engine=RayEngine(workers=1))
    assert not (tmp_path / "out").exists()
    assert released(texts, tmp_path / "out", rewriter) == local


def test_a_worker_with_nothing_left_to_do_gives_its_core_back(ray, tmp_path):
    """Otherwise the successor of one that dies late, with its machine, would wait for a core for ever."""

    def done(number, secret):
        (tmp_path / str(number)).touch()
        awaited = "go" if number == 3 else "3"
        while not (tmp_path / awaited).exists():
            time.sleep(0.05)

    with ThreadPoolExecutor(1) as driver:
        everything = driver.submit(lambda: list(RayEngine(workers=4).over(done, range(4), secret=KEY)))
        try:
            while not (tmp_path / "3").exists():
                time.sleep(0.05)
            assert ray.get(ray.remote(num_cpus=3)(lambda: "room").remote(), timeout=60) == "room"
            assert not everything.done()
        finally:
            (tmp_path / "go").touch()
        assert {number for number, _ in everything.result()} == set(range(4))


def test_a_run_whose_driver_is_killed_goes_on(ray, released, texts, rewriter, tmp_path):
    local = released(texts, tmp_path / "local", rewriter)
    address = ray.get_runtime_context().gcs_address
    (tmp_path / "rewriter").write_bytes(pickle.dumps(rewriter))
    command = [sys.executable, SCRIPT, texts, tmp_path / "out", tmp_path / "key", address, tmp_path / "rewriter"]
    driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    journal = tmp_path / "out.partial" / "journal"
    try:
        while not (journal.exists() and journal.read_bytes().count(b'{"finished"') >= 2):
            assert driver.poll() is None, driver.stderr.read()
            time.sleep(0.02)
    finally:
        driver.kill()
        driver.communicate()
    done = journal.read_bytes().count(b'{"finished"')
    assert 2 <= done < 5
    assert not (tmp_path / "out").exists()
    assert released(texts, tmp_path / "out", rewriter, engine=RayEngine(workers=1)) == local


def test_neither_the_key_nor_a_private_text_is_in_what_ray_writes_or_says(ray, released, texts, rewriter, tmp_path):
    work = hostile(rewriter, tmp_path / "deaths", error=ValueError(f"can't read {PRIVATE!r}"))
    with pytest.raises(WorkerError, match=r"ValueError \(conftest.py") as raised:
        released(texts, tmp_path / "out", work, engine=RayEngine(workers=1))
    assert PRIVATE not in "".join(map(str, (raised.value, raised.value.__cause__, raised.value.__context__)))
    folder = Path(ray._private.worker._global_node.get_session_dir_path())
    written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"Worker" in written
    for secret in (KEY, KEY.hex().encode(), PRIVATE.encode()):
        assert secret not in written


@pytest.mark.parametrize(("source", "target"), [("-", "out.txt"), ("in.txt", "-")])
def test_streams_are_not_for_workers(tmp_path, monkeypatch, rewriter, source, target):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text("w1 w2\n")
    with pytest.raises(InvalidInputError, match="an engine reads and writes files"):
        plan(source, target, rewriter, engine=RayEngine())


def test_without_the_package_the_error_says_what_to_install(released, texts, rewriter, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'textveil\[ray\]'"):
        released(texts, tmp_path / "out", rewriter, engine=RayEngine())
    assert content_of(tmp_path).keys() >= {"key"}


@pytest.mark.parametrize("workers", [0, -1, 1.5])
def test_a_number_of_workers_must_be_one(workers):
    with pytest.raises(InvalidInputError, match="workers must be a whole number >= 1"):
        RayEngine(workers=workers)


@pytest.mark.parametrize(("options", "reason"), [({}, "--engine ray"), ({"overwrite": True}, "can't be replaced")])
def test_a_store_needs_workers_and_is_never_overwritten(texts, rewriter, tmp_path, options, reason):
    engine = RayEngine() if options else None
    with pytest.raises(InvalidInputError, match=reason):
        plan(texts, f"file://{tmp_path}/out", rewriter, column="text", engine=engine, **options)


def test_a_worker_sees_the_gpus_that_it_was_given(ray):
    def seen(number, secret):
        import os

        return number, len(secret), os.environ.get("CUDA_VISIBLE_DEVICES")

    engine = RayEngine(workers=1, gpus=1.0)
    assert list(engine.over(seen, [7, 5], secret=KEY)) == [(7, (7, 32, "0")), (5, (5, 32, "0"))]


@pytest.mark.parametrize("gpus", [-1.0, float("nan"), float("inf"), "one"])
def test_a_number_of_gpus_must_be_one(gpus):
    with pytest.raises(InvalidInputError, match="gpus must be a"):
        RayEngine(gpus=gpus)


def test_a_worker_with_another_library_is_refused():
    with pytest.raises(InvalidInputError, match=r"a worker has textveil 99, but textveil .* is here"):
        _require_same("textveil 99")


def test_a_ray_of_ones_own_lies_in_a_folder_that_is_closed_to_others_and_asks_for_a_token(ray):
    folder = Path(ray._private.worker._global_node.get_session_dir_path()).parent.parent
    assert folder.stat().st_mode & 0o77 == 0
    assert os.environ["RAY_AUTH_MODE"] == "token"


def test_a_cluster_that_does_not_answer_is_told_by_its_address():
    class Silent:
        def init(self, *given, **named):
            raise ConnectionError

    with pytest.raises(OSError, match="no Ray answers at head:6379; if it asks for a token"):
        RayEngine(address="head:6379")._begin(Silent(), {})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gpus": 1.5}, "gpus must be a whole number or at most 1"),
        ({"workers": 10**20}, "workers must be at most 100,000"),
        ({"address": "nonsense"}, 'address must be "auto" or a host:port'),
        ({"address": "head:port"}, 'address must be "auto" or a host:port'),
    ],
)
def test_what_no_ray_has_is_refused_before_one_is_started(options, message):
    with pytest.raises(InvalidInputError, match=message):
        RayEngine(**options)


def test_an_address_where_nobody_listens_is_told_at_once():
    class NeverAsked:
        def init(self, *given, **named):
            pytest.fail("Ray would try for more than a minute")

    with pytest.raises(OSError, match=r"no Ray answers at 127\.0\.0\.1:1;"):
        RayEngine(address="127.0.0.1:1")._begin(NeverAsked(), {})


def test_nobody_waits_for_gpus_that_are_not_there(ray):
    there = ray.cluster_resources().get("GPU", 0)
    with pytest.raises(InvalidInputError, match=f"gpus must be at most {there:g}, which is what Ray finds"):
        list(RayEngine(workers=1, gpus=there + 1).over(lambda number, secret: number, [0], secret=KEY))


class RayOfFailures:
    """A Ray whose calls all fail with the words of a worker."""

    class exceptions:  # noqa: N801 - the name that Ray has for it
        class RayError(Exception):
            pass

    def put(self, task):
        return task

    def remote(self, **options):
        def hired(task):
            return SimpleNamespace(greet=SimpleNamespace(remote=object))

        return lambda kind: SimpleNamespace(remote=hired)

    def wait(self, calls, num_returns):
        return calls[:1], calls[1:]

    def get(self, call):
        raise self.exceptions.RayError(PRIVATE)

    def is_initialized(self):
        return True


def test_what_ray_says_of_dead_workers_is_not_passed_on():
    with pytest.raises(OSError, match="new workers don't live") as raised:
        list(_Crew(RayOfFailures(), None, 1, 0.0).work([0], KEY))
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None


class Dying(RayOfFailures):
    """A Ray of one worker at a time: each dies on its first file, and the next two as they start."""

    class Worker:
        def __init__(self):
            self.greet = SimpleNamespace(remote=lambda: ("greeting", object()))
            self.do = SimpleNamespace(remote=lambda number, sealed: (number, object()))

    def __init__(self):
        self.asked = Counter()

    def remote(self, **options):
        return lambda kind: SimpleNamespace(remote=lambda task: self.Worker())

    def get(self, call):
        what, _ = call
        self.asked[what] += 1
        if what == "greeting" and self.asked[what] % 3 == 0:
            return Recipient().public, library()
        if what == "greeting" or self.asked[what] == 1:
            return super().get(call)
        return outcome_of(lambda: "done")


def test_workers_that_die_as_they_start_are_counted_from_the_last_that_lived():
    assert list(_Crew(Dying(), None, 1, 0.0).work(range(6), KEY)) == [(number, "done") for number in range(6)]


def test_an_address_is_refused_where_this_process_has_a_ray_already(monkeypatch):
    monkeypatch.setattr(ray_engine, "_library", RayOfFailures)
    with (
        pytest.raises(InvalidInputError, match=r"address='head:6379' would do nothing.*ray\.shutdown\(\)"),
        RayEngine(address="head:6379")._connected(),
    ):
        pass
    with RayEngine()._connected() as there:
        assert isinstance(there, RayOfFailures)
