import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from textveil.noise.chacha import ROUNDS, WideStreams, block_of
from textveil.noise.gaussian import gaussian
from textveil.noise.laplace import radial_laplace
from textveil.randomness import FreshStreams, RandomSource

KEY = bytes(range(32))


def block(key, first, second, rounds):
    start, found = np.empty(16, dtype=np.uint32), np.empty(16, dtype=np.uint32)
    numbers = np.frombuffer(key, dtype="<u4").astype(np.uint32)
    block_of(numbers, np.uint64(first), np.uint64(second), rounds, start, found)
    return found.astype("<u4").tobytes()


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (2**32 - 1, 7), (2**63 + 5, 2**64 - 1)])
def test_with_twenty_rounds_it_is_the_chacha_of_openssl(first, second):
    nonce = np.array([first, second], dtype="<u8").tobytes()
    expected = Cipher(algorithms.ChaCha20(KEY, nonce), mode=None).encryptor().update(bytes(64))
    assert block(KEY, first, second, 20) == expected


def test_with_eight_rounds_it_has_the_published_keystream():
    """draft-strombergson-chacha-test-vectors-01, TC1: key and nonce of zeros, 8 rounds."""
    assert ROUNDS == 8
    assert block(bytes(32), 0, 0, ROUNDS)[:32] == bytes.fromhex(
        "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
    )


def test_the_two_halves_of_what_is_read_come_from_the_same_blocks_and_no_bit_is_used_twice():
    streams = WideStreams(KEY, range(5, 8))
    streams.used = 2**32
    words = streams.words(28)
    assert words.shape == (3, 28)
    assert streams.used == 2**32 + 3
    for item in range(3):
        for b in range(3):
            bits = [f"{n:032b}" for n in np.frombuffer(block(KEY, 5 + item, 2**32 + b, 8), dtype="<u4")]
            for pair in range(5):
                if b + 3 * pair < 14:
                    first, second = (f"{words[item, place + b + 3 * pair]:064b}" for place in (0, 14))
                    assert (first[52:], second[50:]) == ("0" * 12, "1" + "0" * 13)
                    if pair < 4:
                        assert first[:52] == bits[2 * pair + 1][12:] + bits[2 * pair]
                        upper = bits[9 + 2 * pair]
                        assert second[:50] == upper[:2] + upper[16:] + bits[8 + 2 * pair]
                    else:
                        # What the four others have left: 12 bits of each first word, 14 of each second.
                        left = [bits[1 + 2 * n][:12] for n in range(4)] + [bits[9 + 2 * n][2:16] for n in range(4)]
                        assert first[:52] == left[2] + left[5][6:] + left[0] + left[1] + left[4][6:]
                        assert second[:50] == left[5][2:4] + left[7] + left[5][4:6] + left[3] + left[6] + left[4][:6]


def test_words_that_are_read_one_after_the_other_never_meet():
    streams = WideStreams(KEY, range(100))
    words = np.concatenate([streams.words(count).reshape(-1) for count in (1, 8, 9, 2)])
    assert len(np.unique(words)) == len(words)


@pytest.mark.parametrize("items", [slice(2, 9), slice(0, 0), np.array([7, 3]), np.arange(20) % 3 == 0])
def test_some_items_read_on_in_their_own_streams(items):
    streams = WideStreams(KEY, range(50, 70))
    streams.words(3)
    assert (streams.select(items).words(5) == streams.words(5)[items]).all()


def test_the_streams_of_a_secure_source_have_a_wide_counterpart_under_another_key():
    source = RandomSource.secure()
    source.streams(b"x", np.arange(4))
    fresh = source.streams(b"x", np.arange(6))
    assert isinstance(fresh, FreshStreams)
    fresh.used = 3
    wide = WideStreams.instead_of(fresh)
    assert (wide.rows, wide.used) == (range(4, 10), 3)
    assert wide.key != fresh.key
    assert WideStreams.instead_of(fresh).key == wide.key
    assert not isinstance(RandomSource.keyed(KEY).streams(b"x", np.arange(6)), FreshStreams)


def test_noise_from_wide_streams_does_not_depend_on_the_batch():
    whole = radial_laplace(WideStreams(KEY, range(300)), 7, 0.5)
    assert (radial_laplace(WideStreams(KEY, range(100, 300)), 7, 0.5) == whole[100:]).all()
    assert abs(gaussian(WideStreams(KEY, range(4000)), 25, 2.0).std() - 2.0) < 6 * 2.0 / np.sqrt(2 * 100_000)
