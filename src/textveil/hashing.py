"""A keyed hash of many records at once, for giving each its own stream.

Records are polynomials over the integers modulo 2^61 - 1, evaluated at two secret points (Carter and Wegman):
two different records of L bytes collide with probability at most (L / 7 + 2)^2 / 2^120, whoever chose them, as
long as the points are secret. The result is then encrypted, so it is never seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from textveil.compiled import compiled

_PRIME = np.uint64(2**61 - 1)
_LIMB_BYTES = 7


@dataclass(frozen=True)
class Packed:
    """Records one after the other in a buffer; `offsets` says where each begins, and where the last ends."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(cls, records: list[bytes]) -> Packed:
        """Pack byte strings."""
        offsets = np.zeros(len(records) + 1, dtype=np.int64)
        np.cumsum([len(record) for record in records], out=offsets[1:])
        return cls(np.frombuffer(b"".join(records), dtype=np.uint8), offsets)


def keyed_hashes(key: bytes, records: Packed) -> NDArray[np.uint64]:
    """Return 2 x 61 bits a record: shape (records, 2)."""
    points = np.frombuffer(key[:16], dtype=np.uint64) % _PRIME
    hashes = np.empty((len(records), 2), dtype=np.uint64)
    _hash_records(records.data, records.offsets, points[0], points[1], hashes)
    return hashes


@compiled
def _times(a, b):  # type: ignore[no-untyped-def]
    """A b modulo 2^61 - 1 for a, b below 2^61, in 64-bit arithmetic."""
    half, low = np.uint64(31), np.uint64(2**31 - 1)
    a_high, a_low, b_high, b_low = a >> half, a & low, b >> half, b & low
    middle = a_high * b_low + a_low * b_high
    # 2^62 = 2 and 2^31 middle = (middle's high part) 2^61 + ..., both modulo 2^61 - 1.
    total = ((a_high * b_high) << np.uint64(1)) + (middle >> np.uint64(30))
    total += ((middle & np.uint64(2**30 - 1)) << half) + a_low * b_low
    total = (total & _PRIME) + (total >> np.uint64(61))
    return total - _PRIME if total >= _PRIME else total


@compiled
def _hash_records(data, offsets, first_point, second_point, hashes):  # type: ignore[no-untyped-def]
    for record in range(offsets.size - 1):
        place, end = offsets[record], offsets[record + 1]
        # The length comes first, so that a record and one padded with zeros differ.
        one = two = np.uint64(end - place) + np.uint64(1)
        while place < end:
            limb = np.uint64(0)
            for k in range(min(_LIMB_BYTES, end - place)):
                limb |= np.uint64(data[place + k]) << np.uint64(8 * k)
            one = _times(one, first_point) + limb
            one = one - _PRIME if one >= _PRIME else one
            two = _times(two, second_point) + limb
            two = two - _PRIME if two >= _PRIME else two
            place += _LIMB_BYTES
        hashes[record, 0], hashes[record, 1] = _times(one, first_point), _times(two, second_point)
