"""Words for words, as finite laws: every chance is known, so that the examination is exact."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from tests.auditing.museum.exhibit import Exhibit, between_any, by_the_table, per_distance

from textveil.guarantees import Unit


class Law:
    """A finite law over words, with the distances of its claim."""

    def __init__(self, distances: np.ndarray, weights: np.ndarray) -> None:
        count = len(distances)
        self._rows = weights / weights.sum(axis=1, keepdims=True)
        self.vocabulary = _Places(distances, [f"word{number}" for number in range(count)])

    def transition_rows(self, ids: np.ndarray) -> np.ndarray:
        return self._rows[ids]


class _Places:
    """Stands for a vocabulary: the place of a word is its number, and distances are looked up."""

    def __init__(self, distances: np.ndarray, words: list[str]) -> None:
        self.words = words
        self.points = np.arange(len(words), dtype=np.float64)[:, None]
        self.space = SimpleNamespace(distances=lambda a, b: distances[np.ix_(_ids(a), _ids(b))])

    def __len__(self) -> int:
        return len(self.words)


def _ids(points: np.ndarray) -> np.ndarray:
    return points[:, 0].astype(int)


def law(distances, weights):
    return lambda rng: Law(distances, weights)


def distances_of(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


# One word in the middle, thirty around it.
STAR = distances_of(np.vstack([np.zeros(30), np.eye(30)]))
EXPONENTIAL = Exhibit(
    name="the exponential mechanism without its factor 2",
    shipped="implementations that leave out the 1/2",
    flaw="exp(-eps d) must be divided by a sum that itself depends on the input, which costs up to eps d again.",
    broken=law(STAR, np.exp(-STAR)),
    twin=law(STAR, np.exp(-STAR / 2)),
    examine=by_the_table(per_distance(1.0, unit=Unit.WORD)),
    caught_by="exact",
)

ANGLES = np.linspace(0, 1.5, 6)
CIRCLE = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
COSINE = 1 - CIRCLE @ CIRCLE.T
COSINES = Exhibit(
    name="cosine distance taken for a metric",
    shipped="mechanisms that score by 1 - cos",
    flaw="1 - cos breaks the triangle inequality: two steps of .01 are one of .04, and so is the loss.",
    broken=law(COSINE, np.exp(-COSINE / 2)),
    twin=law(distances_of(CIRCLE), np.exp(-distances_of(CIRCLE) / 2)),
    examine=by_the_table(per_distance(1.0, "the distance of the score", Unit.WORD)),
    caught_by="exact",
)

LINE = distances_of(np.array([[0.0], [1.0], [3.0], [7.0], [8.0]]))
NEAR = LINE <= 2.0
FAR = (~NEAR).sum(axis=1)


def truncated(far_goes_home: bool) -> np.ndarray:
    """TEM at epsilon 1 and radius 2: far words share one symbol, which then means one of them, or the word itself."""
    weights = np.where(NEAR, np.exp(-LINE / 2), 0.0)
    symbol = FAR * np.exp(-1.0)
    if far_goes_home:
        return weights + np.diag(symbol)
    return weights + np.where(NEAR, 0.0, (symbol / FAR)[:, None])


TEM = Exhibit(
    name="TEM whose far words become the word itself",
    shipped="pyPANTERA",
    flaw="The symbol for all far words must become one of them; where it becomes the input, far words never give it.",
    broken=law(LINE, truncated(far_goes_home=True)),
    twin=law(LINE, truncated(far_goes_home=False)),
    examine=by_the_table(per_distance(1.0, unit=Unit.WORD)),
    caught_by="exact",
)

GROUPS = np.kron(np.eye(2), np.ones((3, 3)))
CUSTEXT = Exhibit(
    name="output sets that do not overlap",
    shipped="CusText",
    flaw="A word is replaced within its own group, so that the output tells the group for certain.",
    broken=law(1 - np.eye(6), GROUPS * (1 + 1.7 * np.eye(6))),
    twin=law(1 - np.eye(6), np.ones((6, 6)) + 1.7 * np.eye(6)),
    examine=by_the_table(between_any(1.0, unit=Unit.WORD)),
    caught_by="exact",
)

SENSITIVE = np.array([True, True, False, False, False])


def kept() -> np.ndarray:
    """SanText+: words that count as not sensitive are kept with chance .7, all others replaced."""
    rows = np.exp(-LINE / 2) * SENSITIVE[None]
    rows = rows / rows.sum(axis=1, keepdims=True)
    return np.where(SENSITIVE[:, None], rows, 0.3 * rows + 0.7 * np.eye(5))


SANTEXT = Exhibit(
    name="words that are kept because they are not sensitive",
    shipped="SanText+",
    flaw="A kept word comes out of itself alone: the output tells it for certain.",
    broken=law(LINE, kept()),
    twin=law(LINE, np.exp(-LINE / 2)),
    examine=by_the_table(per_distance(1.0, unit=Unit.WORD)),
    caught_by="exact",
)

SQUARED = Exhibit(
    name="a squared distance in one branch",
    shipped="mldp-text",
    flaw="The score is -d^2 instead of -d, so that far words lose far more than eps d.",
    broken=law(LINE, np.exp(-(LINE**2) / 2)),
    twin=law(LINE, np.exp(-LINE / 2)),
    examine=by_the_table(per_distance(1.0, unit=Unit.WORD)),
    caught_by="exact",
)

LOGITS = np.random.default_rng(5).normal(scale=4.0, size=(5, 12))
TEMPERATURE = Exhibit(
    name="temperature sampling without a clip",
    shipped="rewriting with language models, without the clip of DP-Prompt",
    flaw="T = 2 (b - a) / eps is enough for scores between a and b, and the model's scores were never held there.",
    broken=law(1 - np.eye(5), np.exp(LOGITS / 2)),
    twin=law(1 - np.eye(5), np.exp(np.clip(LOGITS, 0, 1) / 2)),
    examine=by_the_table(between_any(1.0, unit=Unit.WORD)),
    caught_by="exact",
)

EXHIBITS = (EXPONENTIAL, COSINES, TEM, CUSTEXT, SANTEXT, SQUARED, TEMPERATURE)
