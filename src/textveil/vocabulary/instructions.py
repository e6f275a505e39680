"""Which instructions multiply on this processor, and how large the bytes may be that they are given.

AVX-512 VNNI multiplies 64 bytes at once and adds them up to sums of 32 bits. AVX2 multiplies 32, and adds two products
up to 16 bits; three such sums are added before they become 32 bits. So that none leaves its 16 bits, codes are smaller
there: those of points have 7 bits, and those of a query that meet in one sum may only add up to so much.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite.binding import get_host_cpu_features
from numba.core import config

_MOST_16_BITS = 2**15 - 1


@dataclass(frozen=True)
class Instructions:
    """How many bytes meet at once, and how large they may be.

    Parameters
    ----------
    queries : that meet points at once
    lanes : sums of 32 bits in a register
    vectors : registers of points that meet queries at once
    steps : groups of four bytes whose products are added before they become sums of 32 bits
    largest : code of a point, with or without sign
    worth_words : and
    worth_numbers : from so many of a table on they are quicker than float32, as measured
    """

    queries: int
    lanes: int
    vectors: int
    steps: int
    largest: int
    worth_words: int
    worth_numbers: int

    def is_worth(self, words: int, dimension: int) -> bool:
        """Return whether a table of this shape is searched sooner by bytes than by floats."""
        return words >= self.worth_words and words * dimension >= self.worth_numbers

    @property
    def at_once(self) -> int:
        """Points that meet queries at once."""
        return self.vectors * self.lanes

    @property
    def shift(self) -> int:
        """Points are stored with this added, because one factor must have no sign."""
        return self.largest + 1

    @property
    def most(self) -> int | None:
        """What the sizes of those codes of a query may add up to that meet in a sum of 16 bits; None if none do."""
        return None if self.steps == 1 else _MOST_16_BITS // (self.largest + self.shift)


VNNI = Instructions(queries=6, lanes=16, vectors=4, steps=1, largest=127, worth_words=600, worth_numbers=36_000)
AVX2 = Instructions(queries=3, lanes=8, vectors=2, steps=3, largest=63, worth_words=1_000, worth_numbers=70_000)


def _features() -> set[str]:
    """What the processor has that numba compiles for, by which it keeps compiled code apart too."""
    # By variables, files or programs.
    name, features = (getattr(config, f"CPU_{what}", None) for what in ("NAME", "FEATURES"))
    if name or features:
        return {feature[1:] for feature in (features or "").split(",") if feature.startswith("+")}
    return {name for name, is_there in get_host_cpu_features().items() if is_there}


_KNOWN = {"avx512vnni": VNNI, "avx2": AVX2}
# None where the processor has neither.
CHOSEN = next((kind for name, kind in _KNOWN.items() if name in _features()), None)
# What is written for any of them: nothing is compiled where there is none.
KIND = CHOSEN or AVX2
# Numbers of 32 bits in a register, and how many points meet how many registers of queries at once, so that all sums
# stay in registers. Where there is neither AVX-512 nor AVX2, compilers make each of these registers of two.
FLOAT_LANES, FLOAT_POINTS, FLOAT_VECTORS = (16, 8, 3) if "avx512f" in _features() else (8, 4, 3)
