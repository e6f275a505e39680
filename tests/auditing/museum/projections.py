"""Vectors that are projected, averaged, or whose noise depends on where they are."""

from __future__ import annotations

import numpy as np
from tests.auditing.museum.exhibit import Exhibit, between_any, by_checks, by_sampling, l2_laplace, per_distance

from textveil.guarantees import Unit
from textveil.noise.gaussian_curve import gaussian_scale

PROJECTION = np.random.default_rng(7).normal(size=(2, 60)) / np.sqrt(2)
SECANT = np.linalg.svd(PROJECTION)[2][0]
STRETCH = float(np.linalg.norm(PROJECTION @ SECANT))


def projected(constant: float):
    return lambda rng: lambda x: PROJECTION @ x + l2_laplace(rng, 2, constant)


PRIVEMB = Exhibit(
    name="a Gaussian projection with the constant 1 + beta",
    shipped="PrivEmb",
    flaw="Whoever knows the projection takes inputs along its largest stretch, here 6 times what noise is scaled to.",
    broken=projected(1.1),
    twin=projected(STRETCH),
    examine=by_sampling(per_distance(1.0), np.zeros(60), SECANT, 1.0, 600),
    caught_by="black box",
)

WORDS = np.array([[-9.0, 1.0], [9.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
# The second coordinate of two words never differs by more than this share of their distance.
CERTIFIED = 2 / np.hypot(8.0, 2.0)


def second_coordinate(constant: float):
    return lambda rng: lambda x: x[1:] + rng.laplace(scale=constant, size=1)


AVERAGES = Exhibit(
    name="averages of words under a certificate for words",
    shipped="projections certified on the rows of a word table",
    flaw="Differences of averages point where no difference of two words does, here stretched 4 times as much.",
    broken=second_coordinate(CERTIFIED),
    twin=second_coordinate(1.0),
    examine=by_sampling(per_distance(1.0), WORDS[:2].mean(axis=0), WORDS[2:].mean(axis=0), 2.0, 2000),
    caught_by="black box",
)

DIMENSION = 50
TABLE = dict(zip("abc", np.random.default_rng(8).normal(size=(3, DIMENSION)), strict=True))
ENOUGH = gaussian_scale(1.0, 1e-5)


def noisy_word(deviations: dict[str, float]):
    return lambda rng: lambda word: TABLE[word] + deviations[word] * rng.normal(size=DIMENSION)


LARGEST = 20.0 * ENOUGH
SINGLETONS = Exhibit(
    name="words without neighbours, without noise",
    shipped="NADP (10-71% of its words)",
    flaw="Noise is scaled to the distance of a word's neighbours, which is 0 for a word that has none.",
    broken=noisy_word({"a": 0.0, "b": LARGEST, "c": LARGEST}),
    twin=noisy_word(dict.fromkeys("abc", LARGEST)),
    examine=by_checks(between_any(1.0, 1e-5, Unit.WORD), ["a", "b", "c"]),
    caught_by="outputs that repeat for the same input",
)

UNEQUAL = Exhibit(
    name="noise whose size tells the neighbourhood",
    shipped="NADP",
    flaw="Two words of different neighbourhoods get noise of different sizes, which many coordinates show.",
    broken=noisy_word({"a": LARGEST, "b": 1.5 * LARGEST, "c": LARGEST}),
    twin=noisy_word(dict.fromkeys("abc", LARGEST)),
    examine=by_sampling(between_any(1.0, 1e-5, Unit.WORD), "a", "b", None, 400),
    caught_by="black box",
)

AVERAGE_DISTANCE = 2.0
JACCARD = Exhibit(
    name="an average distance taken for the sensitivity",
    shipped="the Jaccard baseline of NADP",
    flaw="Noise is scaled to the mean distance of a category's words, and half of its pairs are farther apart.",
    broken=noisy_word(dict.fromkeys("abc", AVERAGE_DISTANCE * ENOUGH)),
    twin=noisy_word(dict.fromkeys("abc", LARGEST)),
    examine=by_sampling(between_any(1.0, 1e-5, Unit.WORD), "a", "b", None, 2000),
    caught_by="black box",
)

POSITIONS = np.random.default_rng(9).normal(size=(4, 3))
BROADCAST = Exhibit(
    name="one noise vector for all positions",
    shipped="neural rewriters (seen among dp-bart, DP-Rewrite, DPMLM, PrivFill)",
    flaw="The same noise is added to every position, so that the differences of positions come out bare.",
    broken=lambda rng: lambda x: x + l2_laplace(rng, 3, 1.0),
    twin=lambda rng: lambda x: x + l2_laplace(rng, x.size, 1.0).reshape(x.shape),
    examine=by_checks(per_distance(1.0), [POSITIONS, -POSITIONS]),
    caught_by="noise that is shared",
)

EXHIBITS = (PRIVEMB, AVERAGES, SINGLETONS, UNEQUAL, JACCARD, BROADCAST)
