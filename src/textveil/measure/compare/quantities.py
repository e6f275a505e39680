"""What is measured of a mechanism at one strength: the axes of the frontier."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Quantity:
    """An axis.

    Parameters
    ----------
    key : its name in files
    label : its name on the page
    side : "privacy", "attack" or "utility"
    better : "higher" or "lower", for who releases
    scale : "log", or "linear" for what lies between 0 and 1
    note : what it is, in a sentence
    """

    key: str
    label: str
    side: str
    better: str
    scale: str
    note: str

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)


EPSILON = Quantity(
    "epsilon", "epsilon, as the mechanism counts it", "privacy", "lower", "log",
    "The mechanism's own parameter: per unit of distance for some, between any two inputs for others. Not comparable "
    "between the two kinds; the loss at the radius is.",
)  # fmt: skip
LOSS = Quantity(
    "loss", "proved loss at the radius (nats)", "privacy", "lower", "log",
    "What is proved of the worst case between two inputs that lie the public radius apart: exact where the law of what "
    "is released is known; for noise and the nearest word that of the noisy vector, an upper bound for the word, whose "
    "exact loss is not known. Where a promise is refuted, what is true instead; some of these have no bound.",
)  # fmt: skip
FAR = Quantity(
    "far", "proved loss between far inputs (nats)", "privacy", "lower", "log",
    "The same for two inputs as far apart as the farthest that were looked at.",
)  # fmt: skip
NAMING = Quantity(
    "naming", "attack: names the input", "attack", "lower", "linear",
    "How often the best attack names the input, if all are equally likely before; where the best is not known, how "
    "often the attack that was carried out does.",
)  # fmt: skip
FREQUENT = Quantity(
    "frequent", "attack: names a word of running text", "attack", "lower", "linear",
    "The same by the best attack that knows how frequent words are (Zipf's law by their place in the table), on words "
    "as frequent as that. For noise the attacker sees the noisy vector, which is at least as telling as its word: at "
    "most so many are named by who sees the word.",
)  # fmt: skip
FREQUENT_WORD = Quantity(
    "frequent_word", "attack: names a word of running text by the released word", "attack", "lower", "linear",
    "The same by who sees the released word alone. For noise the best attack is not known: at least so many are named, "
    "by taking words as they are.",
)  # fmt: skip
BOUND = Quantity(
    "bound", "attack: no one names more, by the guarantee alone", "attack", "lower", "linear",
    "The least that the guarantee promises about any attack that names the input, if all are equally likely before; "
    "not for a guarantee with a delta.",
)  # fmt: skip
PAIR = Quantity(
    "pair", "attack: tells a word from its neighbour", "attack", "lower", "linear",
    "How often the best attack is right if it knows that the word was one of two nearest neighbours; 0.5 is chance.",
)  # fmt: skip
MEMBERSHIP = Quantity(
    "membership", "attack: knows who took part (advantage)", "attack", "lower", "linear",
    "Share of members recognised less share of others taken for members, by an attack that was carried out; 0 is "
    "chance.",
)  # fmt: skip
INVERSION = Quantity(
    "inversion", "attack: variation found by regression", "attack", "lower", "linear",
    "Share of the variation of the originals that regression finds from releases; 0 is no more than their mean.",
)  # fmt: skip
UNCHANGED = Quantity(
    "unchanged", "words that stay as they are", "utility", "higher", "linear", "Mean of N_w over the vocabulary."
)
RUNNING = Quantity(
    "running", "words of running text that stay", "utility", "higher", "linear",
    "The same for words as frequent as in running text (Zipf's law by their place in the table).",
)  # fmt: skip
MOVED = Quantity(
    "moved", "how far words move (1: as far as a random word)", "utility", "lower", "linear",
    "Mean distance between a word and what comes out, over the mean distance of two words.",
)  # fmt: skip
COSINE = Quantity(
    "cosine", "cosine with the original", "utility", "higher", "linear", "Mean cosine of a vector and its release."
)
ERROR = Quantity(
    "error", "error / length of a vector", "utility", "lower", "log",
    "Root mean square error of a release over the root mean square length of a vector.",
)  # fmt: skip
ACCURACY = Quantity(
    "accuracy", "accuracy of a classifier", "utility", "higher", "linear",
    "Logistic regression learns from released texts and is asked about others that were released, too.",
)  # fmt: skip

OF_WORDS = (EPSILON, LOSS, FAR, NAMING, FREQUENT, FREQUENT_WORD, BOUND, PAIR, UNCHANGED, RUNNING, MOVED, ACCURACY)
OF_VECTORS = (EPSILON, LOSS, FAR, NAMING, INVERSION, MEMBERSHIP, COSINE, ERROR, ACCURACY)
