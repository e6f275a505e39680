import numpy as np
import pytest

from textveil.noise import reading
from textveil.noise.exact import discrete_gaussian, rounded_normal
from textveil.noise.gaussian import gaussian
from textveil.noise.laplace import radial_laplace
from textveil.noise.spherical import SphericalLaplace
from textveil.noise.transforms import below, gammas, normals
from textveil.randomness import RandomSource

SPHERICAL = SphericalLaplace(60, 2.0**-14)

SAMPLERS = {
    "normals": lambda s: normals(s, 5),
    "gammas": lambda s: gammas(s, 0.6),
    "below": lambda s: below(s, 2**62 + 1),
    "gaussian": lambda s: gaussian(s, 7, 2.0),
    "laplace": lambda s: radial_laplace(s, 300, 2.0),
    "discrete gaussian": lambda s: discrete_gaussian(s, 9, 3),
    "rounded normal": lambda s: rounded_normal(s, 9, 3),
    "spherical laplace": SPHERICAL.draw,
}
KEY = b"a key for the tests only"
CONTENTS = np.arange(100, 400)


@pytest.mark.parametrize("name", SAMPLERS)
def test_an_item_gets_the_same_alone_and_in_a_batch(name) -> None:
    draw = SAMPLERS[name]
    batch = draw(RandomSource.keyed(KEY, row=5).streams(b"test", CONTENTS))
    for i in (0, 1, 57, 255, 299):
        alone = draw(RandomSource.keyed(KEY, row=5 + i).streams(b"test", CONTENTS[i : i + 1]))
        assert np.array_equal(alone[0], batch[i])


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_second_draw_also_does_not_depend_on_the_batch(name) -> None:
    draw = SAMPLERS[name]
    streams = RandomSource.keyed(KEY).streams(b"test", CONTENTS)
    first, second = draw(streams), draw(streams)
    assert not np.array_equal(first, second)
    for i in (0, 13, 299):
        alone = RandomSource.keyed(KEY, row=i).streams(b"test", CONTENTS[i : i + 1])
        assert np.array_equal(draw(alone)[0], first[i])
        assert np.array_equal(draw(alone)[0], second[i])


@pytest.mark.parametrize("name", ["gaussian", "laplace", "rounded normal", "spherical laplace"])
def test_portions_and_threads_change_nothing(name, monkeypatch) -> None:
    draw = SAMPLERS[name]
    whole = draw(RandomSource.keyed(KEY).streams(b"test", CONTENTS))
    monkeypatch.setattr(reading, "_PORTION_WORDS", 4000)
    for threads in ("1", "3"):
        monkeypatch.setenv("TEXTVEIL_THREADS", threads)
        streams = RandomSource.keyed(KEY).streams(b"test", CONTENTS)
        assert np.array_equal(draw(streams), whole)
        again = RandomSource.keyed(KEY).streams(b"test", CONTENTS)
        draw(again)
        assert np.array_equal(streams.words(2), again.words(2))


def test_words_read_after_a_rejection_are_never_read_again() -> None:
    streams = RandomSource.seeded(1).streams(b"test", np.arange(50))
    read: list[set[int]] = [set() for _ in range(50)]
    tries = np.zeros(50, dtype=int)

    def attempt(part, rows):
        for row, words in zip(rows, part.words(2), strict=True):
            assert read[row].isdisjoint(words.tolist())
            read[row].update(words.tolist())
        tries[rows] += 1
        return tries[rows] > rows % 4

    reading.until_done(streams, attempt)
    assert [len(words) for words in read] == [2 * (1 + row % 4) for row in range(50)]
    for row, words in enumerate(streams.words(20)):
        assert read[row].isdisjoint(words.tolist())


def test_an_error_in_one_portion_reaches_the_caller(monkeypatch) -> None:
    monkeypatch.setattr(reading, "_PORTION_WORDS", 10)

    def fill(part, rows):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        reading.in_portions(RandomSource.seeded(1).streams(b"test", np.arange(50)), 1, fill)
