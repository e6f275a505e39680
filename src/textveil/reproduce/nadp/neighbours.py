"""Table 1: the words nearest to five words, without noise and with that of Mahalanobis and NADP."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from textveil.measure.tasks.tables import rows_of
from textveil.reproduce.nadp.mechanisms import MAHALANOBIS, NADP, Facts, released
from textveil.vocabulary.nearest_set import NearestSet

# Table 1 as printed: without noise, with that of Mahalanobis, and of NADP. GloVe has the words in lower case.
PAPER = {
    "misogynist": ("sexist, chauvinst, bigot", "insulting, sexist, racist", "scholastic, filicia, shannara"),
    "police": ("officers, cops, authorities", "police, authorities, officials", "posing, smiling, lying"),
    "hitler": ("adlof, nazi, stalin", "hitler, adolf, nazi", "paid, ipo, raided"),
    "wikileaks": ("assange, cia, leaked", "wikileaks, iran, assange", "impetuous, jashari, enraged"),
    "fbi": ("cia, investigation, informant", "fbi, history, government", "asylum, cardoza, sandiego"),
}
WORDS = tuple(PAPER)
# The paper does not say at which epsilon; at 10 Mahalanobis noise keeps some of the words, as in its table.
EPSILON = 10.0
_SHOWN = 3


def nearest_words(facts: Facts, thresholds: Sequence[float]) -> list[dict[str, Any]]:
    """Return a row for each word of the table that the vocabulary has."""
    vocabulary = facts.vocabulary
    places = {word: row for row, word in enumerate(vocabulary.words)}
    ids = np.array([places[word] for word in WORDS if word in places], dtype=np.int64)
    if not len(ids):
        return []
    search = NearestSet(vocabulary.points, _SHOWN + 1)
    found: dict[str, Any] = {"no noise": search.nearest(vocabulary.points[ids].astype(np.float64))[:, 1:]}
    found[MAHALANOBIS] = search.nearest(next(released(facts, MAHALANOBIS, EPSILON)(ids, 1)))[:, :_SHOWN]
    for threshold in thresholds:
        noisy = next(released(facts, NADP, EPSILON, threshold)(ids, 1))
        found[f"{NADP}, τ = {threshold:g}"] = search.nearest(noisy)[:, :_SHOWN]
    return [
        {"word": word, **{name: ", ".join(vocabulary.words_of(rows[place])) for name, rows in found.items()}}
        for place, word in enumerate(vocabulary.words_of(ids))
    ]


def authors_sensitivities(data: Path) -> dict[str, Any]:
    """Return what the authors' own table of sensitivities says: how many words get no noise, and which of Table 1."""
    thresholds = ("0.10", "0.20", "0.30", "0.40", "0.50")
    columns = [f"delta_tau_{one}" for one in thresholds]
    rows = list(rows_of(data, "reference/nadp_delta.tsv.xz", "word", *columns))
    bare = {one: sum(float(row[1 + place]) == 0 for row in rows) for place, one in enumerate(thresholds)}
    own = {row[0]: [one for place, one in enumerate(thresholds) if float(row[1 + place]) == 0] for row in rows}
    return {
        "words": len(rows),
        "without noise": bare,
        "of table 1": {word: own.get(word, []) for word in WORDS},
    }
