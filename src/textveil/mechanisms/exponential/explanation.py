"""What epsilon means for one word: its chance to stay, what replaces it, what an attacker learns."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.exponential.law import Law
from textveil.mechanisms.exponential.rows import Rows
from textveil.vocabulary import Vocabulary
from textveil.vocabulary.pairs import distances_to_all

Floats = NDArray[np.float64]

_SHOWN = 10
_OUTPUTS_WEIGHED = 128


@dataclass(frozen=True)
class Explanation:
    """What happens to one word.

    Parameters
    ----------
    word : the word that enters the mechanism, which for an unknown word is the vocabulary's unknown word
    known : whether the word asked for is in the vocabulary
    stays : chance that it is released unchanged
    replacements : the likeliest other outputs and their chances
    as_plausible : how many other inputs give the outputs at least half as likely as this one, on average
    recovered : chance that an attacker who knows the law and nothing else names the word from the output
    kept, most_kept : share of words kept over the whole vocabulary, and the most that any law with this
        guarantee could keep (T15), where known
    """

    word: str
    known: bool
    stays: float
    replacements: tuple[tuple[str, float], ...]
    as_plausible: float | None
    recovered: float | None
    kept: float | None
    most_kept: float | None

    def __str__(self) -> str:
        name = f'"{self.word}"' if self.known else f'an unknown word, which enters as "{self.word}",'
        others = ", ".join(f"{word} {100 * chance:.2g}%" for word, chance in self.replacements)
        lines = [f"{name} stays with chance {self.stays:.2%}.", f"Likeliest replacements: {others}."]
        if self.as_plausible is not None:
            lines.append(
                f"Given what comes out, about {self.as_plausible:,.0f} other words are at least half as plausible."
            )
        if self.recovered is not None:
            lines.append(f"An attacker who knows the law and nothing else names it with chance {self.recovered:.2%}.")
        if self.kept is not None:
            bound = (
                "" if self.most_kept is None else f"; no law with this guarantee keeps more than {self.most_kept:.2%}"
            )
            lines.append(f"Over the whole vocabulary {self.kept:.2%} of the words are kept{bound}.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(line)}</p>" for line in str(self).splitlines())


def explain(vocabulary: Vocabulary, law: Law, rows: Rows, word: str) -> Explanation:
    """Explain one word; every number comes from the law itself, none from samples."""
    own = int(vocabulary.ids([word])[0])
    row = rows.probabilities(np.array([own]))[0]
    order = np.argsort(-row, kind="stable")
    others = [int(y) for y in order[: _SHOWN + 1] if y != own][:_SHOWN]
    plausible, recovered = _what_is_learnt(vocabulary, law, row, own, order[:_OUTPUTS_WEIGHED])
    return Explanation(
        word=vocabulary.words[own],
        known=word in vocabulary,
        stays=float(row[own]),
        replacements=tuple((vocabulary.words[y], float(row[y])) for y in others),
        as_plausible=plausible,
        recovered=recovered,
        kept=law.kept,
        most_kept=law.most_kept,
    )


def _what_is_learnt(
    vocabulary: Vocabulary, law: Law, row: Floats, own: int, outputs: NDArray[np.int64]
) -> tuple[float | None, float | None]:
    """Weigh the likeliest outputs: inputs as plausible, and whether the word is the best guess."""
    if law.log_normalisers is None:
        return None, None
    distances = np.minimum(distances_to_all(vocabulary, outputs), law.radius)
    logs = -law.rate * distances - law.log_normalisers
    if law.row_boosts is not None:
        logs += np.log(law.row_boosts) * (distances > 0)
    given = logs - logs[:, own : own + 1]
    chances = row[outputs]
    plausible = (given >= -np.log(2)).sum(axis=1) - 1
    best = given.max(axis=1) <= 1e-9
    ties = (given >= -1e-9).sum(axis=1)
    return float(chances @ plausible / chances.sum()), float((chances * best / ties).sum() + 0.0)
