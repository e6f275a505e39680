"""Streams repeat only where they must, and never where they must not."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import textveil as tv
from textveil import randomness
from textveil.randomness import RandomSource

KEY = bytes(range(32))
IDS = np.arange(5)


def words(source, contents=IDS, purpose=b"p", count=4):
    return source.streams(purpose, contents).words(count)


def test_a_fixed_key_repeats():
    assert (words(RandomSource.keyed(KEY, 7)) == words(RandomSource.keyed(KEY, 7))).all()


@pytest.mark.parametrize("bit", [0, 77, 255])
def test_one_flipped_key_bit_changes_everything(bit):
    flipped = bytearray(KEY)
    flipped[bit // 8] ^= 1 << (bit % 8)
    a, b = words(RandomSource.keyed(KEY), count=500), words(RandomSource.keyed(bytes(flipped)), count=500)
    assert not (a == b).any()
    differing = np.bitwise_count(a ^ b).sum() / (64 * a.size)
    assert abs(differing - 0.5) < 0.01


def test_the_purpose_the_row_and_the_content_each_change_the_stream():
    base = words(RandomSource.keyed(KEY, 3))
    assert not (base == words(RandomSource.keyed(KEY, 3), purpose=b"q")).any()
    assert not (base == words(RandomSource.keyed(KEY, 4))).any()
    assert not (base == words(RandomSource.keyed(KEY, 3), contents=IDS + 1)).any()
    record = bytes(40)
    base = words(RandomSource.keyed(KEY, 3), contents=[record])
    for edited in (record + b"\0", record[:-1], record[:-1] + b"\1", record[:20] + b"\1" + record[21:], b""):
        assert not (base == words(RandomSource.keyed(KEY, 3), contents=[edited])).any()


def test_item_i_of_a_batch_is_the_item_at_row_plus_i():
    batch = words(RandomSource.keyed(KEY, 10), contents=np.array([5, 6, 7]))
    alone = words(RandomSource.keyed(KEY, 12), contents=np.array([7]))
    assert (batch[2] == alone[0]).all()


@pytest.mark.parametrize(
    "contents", [np.random.default_rng(0).normal(size=(3, 4)), [b"one", b"two", b"three"]], ids=["vectors", "bytes"]
)
def test_vectors_and_documents_have_streams_by_content(contents):
    batch = words(RandomSource.keyed(KEY, 0), contents=contents)
    again = words(RandomSource.keyed(KEY, 1), contents=contents[1:])
    assert (batch[1:] == again).all()
    changed = [contents[0], contents[2], contents[1]]
    changed = np.array(changed) if isinstance(contents, np.ndarray) else changed
    assert not (batch[1:] == words(RandomSource.keyed(KEY, 0), contents=changed)[1:]).any()


@pytest.mark.parametrize(
    "contents",
    [np.zeros(1000, dtype=np.int64), np.zeros((1000, 4)), [b"same"] * 1000],
    ids=["words", "vectors", "bytes"],
)
def test_equal_words_in_a_batch_get_different_noise(contents):
    drawn = words(RandomSource.keyed(KEY), contents=contents)
    assert len(np.unique(drawn)) == drawn.size


@given(counts=st.lists(st.integers(1, 9), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_reading_in_parts_is_reading_at_once(counts):
    at_once = RandomSource.keyed(KEY).streams(b"p", IDS)
    in_parts = RandomSource.keyed(KEY).streams(b"p", IDS)
    parts = [in_parts.words(2 * count) for count in counts]
    assert (np.concatenate(parts, axis=1) == at_once.words(2 * sum(counts))).all()


def test_selected_streams_read_on_where_they_were():
    streams, whole = (RandomSource.keyed(KEY).streams(b"p", IDS) for _ in range(2))
    streams.words(4)
    chosen = streams.select(np.array([True, False, True, False, False]))
    assert (chosen.words(2) == whole.words(6)[[0, 2], 4:]).all()


def test_a_split_gives_every_part_its_own_stream():
    parent = RandomSource.keyed(KEY).streams(b"p", [b"document", b"another"])
    parts = parent.split(np.array([3, 2])).words(4)
    assert parts.shape == (5, 4)
    assert len(np.unique(parts)) == parts.size
    fewer = RandomSource.keyed(KEY).streams(b"p", [b"document", b"another"]).split(np.array([2, 2])).words(4)
    assert (fewer[:2] == parts[:2]).all()
    assert (fewer[2:] == parts[3:]).all()


@pytest.mark.parametrize("counts", [[1], [1, 1, 1], [3, -1], [0.5, 1.0], [[1, 1]], []])
def test_a_split_into_what_is_no_number_of_parts_for_each_stream_is_refused(counts):
    parent = RandomSource.keyed(KEY).streams(b"p", [b"document", b"another"])
    with pytest.raises(ValueError, match="2 whole numbers from 0"):
        parent.split(np.array(counts))


def test_secure_sources_never_repeat():
    source = RandomSource.secure()
    drawn = [words(source), words(source), words(RandomSource.secure()), words(copy.copy(source))]
    drawn += [words(copy.deepcopy(source)), words(pickle.loads(pickle.dumps(source)))]  # noqa: S301
    stacked = np.concatenate(drawn)
    assert len(np.unique(stacked)) == stacked.size


def test_a_keyed_source_travels_to_another_process_unchanged():
    source = RandomSource.keyed(KEY, 5)
    assert (words(pickle.loads(pickle.dumps(source))) == words(source)).all()  # noqa: S301


def _send_words(source, pipe):
    pipe.send(words(source).tolist())


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_no_two_processes_share_noise(method):
    context = multiprocessing.get_context(method)
    source = RandomSource.secure()
    drawn = [words(source)]
    for _ in range(3):
        here, there = context.Pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = context.Process(target=_send_words, args=(source, there))
            child.start()
        drawn.append(np.array(here.recv(), dtype=np.uint64))
        child.join()
    stacked = np.concatenate(drawn)
    assert len(np.unique(stacked)) == stacked.size


def test_the_row_of_a_secure_source_cannot_be_chosen():
    with pytest.raises(tv.InvalidInputError, match="never repeats"):
        RandomSource.secure().at(0)
    assert (words(RandomSource.keyed(KEY, 3).at(9)) == words(RandomSource.keyed(KEY, 9))).all()


def _draw_in_threads(source, pipe):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        drawn = list(pool.map(lambda _: words(source).tolist(), range(16)))
    pipe.send(drawn)


def test_threads_of_a_forked_child_share_nothing_with_the_parent_or_each_other():
    context = multiprocessing.get_context("fork")
    source = RandomSource.secure()
    for _ in range(30):
        here, there = context.Pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = context.Process(target=_draw_in_threads, args=(source, there))
            child.start()
        drawn = np.concatenate([words(source), *(np.array(part, dtype=np.uint64) for part in here.recv())])
        child.join()
        assert len(np.unique(drawn)) == drawn.size


def test_a_fork_rekeys_whatever_the_process_is_called():
    """In a new pid namespace a child can have its parent's number: the fork itself must rekey."""
    source = RandomSource.secure()
    key = source._key
    randomness._after_fork()
    assert source._key != key
    keyed = RandomSource.keyed(KEY)
    randomness._after_fork()
    assert keyed._key == KEY


def test_threads_never_share_noise():
    from concurrent.futures import ThreadPoolExecutor

    source = RandomSource.secure()
    with ThreadPoolExecutor(8) as pool:
        drawn = np.concatenate(list(pool.map(lambda _: words(source), range(400))))
    assert len(np.unique(drawn)) == drawn.size


def test_a_seeded_source_warns_repeats_and_moves_on():
    with pytest.warns(tv.NotPrivateWarning, match="not private"):
        source = RandomSource.seeded(1)
    first, second = words(source), words(source)
    assert not (first == second).any()
    assert (first == words(RandomSource.seeded(1))).all()
    assert not source.private
    assert RandomSource.secure().private


def test_bits_are_fair():
    """False alarm below 1e-6: each of 64 positions within 6.5 deviations over 200,000 words."""
    drawn = words(RandomSource.secure(), contents=np.arange(1000), count=200).reshape(-1)
    for position in range(64):
        ones = int((drawn >> np.uint64(position) & np.uint64(1)).sum())
        assert abs(ones - drawn.size / 2) < 6.5 * np.sqrt(drawn.size) / 2


@pytest.mark.parametrize("key", [b"short", "a string that is long enough", None])
def test_a_bad_key_is_refused_without_being_quoted(key):
    with pytest.raises(tv.InvalidInputError, match="16 bytes") as error:
        RandomSource.keyed(key)
    assert str(key) not in str(error.value)


@pytest.mark.parametrize("row", [-1, 1.5, True, 2**63])
def test_a_bad_row_is_refused(row):
    with pytest.raises(tv.InvalidInputError, match="row"):
        RandomSource.keyed(KEY, row)


def test_the_key_is_never_shown():
    source = RandomSource.keyed(os.urandom(32))
    assert source._key.hex() not in repr(source)
    assert str(source._key) not in repr(source)


@pytest.mark.parametrize("items", [slice(2, 6), slice(None, None, 2), np.array([4, 1])])
def test_streams_of_a_secure_source_read_on_where_they_are(items):
    streams = RandomSource.secure().streams(b"x", np.arange(9))
    streams.words(3)
    assert (streams.select(items).words(4) == streams.words(4)[items]).all()


@pytest.mark.parametrize("contents", [np.arange(0), np.zeros((0, 4)), []])
@pytest.mark.parametrize("source", [RandomSource.secure(), RandomSource.keyed(KEY)], ids=["secure", "keyed"])
def test_nothing_has_no_streams(source, contents):
    assert source.streams(b"x", contents).words(3).shape == (0, 3)


def test_streams_are_never_copied():
    for streams in (
        RandomSource.secure().streams(b"x", np.arange(3)),
        RandomSource.keyed(KEY).streams(b"x", np.arange(3)),
    ):
        with pytest.raises(TypeError, match="never copied"):
            pickle.dumps(streams)
