"""Table III of Feyisetan, Diethe and Drake (2019): how many texts an attacker gives to their true authors.

Texts are rewritten word by word, all but stop words. The paper does not say whether its attacker knew clean texts of
the authors or rewritten ones; here both are asked. Beside its own mechanism stand `Exponential` on the same words, a
word drawn from all words alike, and no noise at all, where only words outside the vocabulary change. With the authors
of pieces of known texts shuffled an attacker must fall to chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from textveil.measure.authorship import FEATURES, LEAST_WORDS, ROUNDS, Authorship
from textveil.measure.tasks.task import order_of
from textveil.progress import progress
from textveil.randomness import RandomSource
from textveil.reproduce import hyperbolic_laws as laws
from textveil.reproduce import hyperbolic_table_3_showing as shown
from textveil.reproduce.authorship_problems import PROBLEMS, Problem, read_problem
from textveil.reproduce.hyperbolic_laws import (
    ANY_WORD,
    EXPONENTIAL,
    NO_NOISE,
    ORIGINAL,
    PUBLISHED,
    SHUFFLED,
    Texts,
    Ways,
)
from textveil.reproduce.hyperbolic_table_3_showing import CLEAN, REWRITTEN
from textveil.reproduce.kept_cells import KeptCells
from textveil.reproduce.repeats import folder_digest, interval, public_source
from textveil.reproduce.reproduction import Reproduction
from textveil.vocabulary import Vocabulary

EPSILONS = (0.5, 1.0, 2.0, 8.0)
# What is written, and at which epsilons.
WAYS: dict[str, tuple[float | None, ...]] = {
    ORIGINAL: (None,),
    NO_NOISE: (None,),
    PUBLISHED: EPSILONS,
    EXPONENTIAL: EPSILONS,
    ANY_WORD: (None,),
    SHUFFLED: (None,),
}
REPEATS, QUICK_TEXTS = 3, 100
# Words of a piece of the control, in which pieces go to authors at random.
PIECE = 50
# What cells depend on besides the data.
CONSTANTS = (laws.STEPS, laws.DRAWS, FEATURES, ROUNDS, LEAST_WORDS, PIECE)
QUICK_PROBLEMS = ("PAN11 small", "PAN12 A", "PAN12 C", "PAN12 D")


def table_3(
    *, data: Path, quick: bool = False, vocabulary: Vocabulary | None = None, least_words: int | None = None
) -> Reproduction:
    """Attack original and rewritten texts.

    Parameters
    ----------
    data : folder with author/pan11.tsv.xz and author/pan12.tsv.xz; see `hearst_words` and `paper_cells` for the rest
    quick : one run at two epsilons, without the large set and the novels, of PAN11 every fifth text
    vocabulary : of the ball, instead of that of Hearst patterns
    least_words : that an author must have written, instead of 500
    """
    words = vocabulary or laws.hearst_words(data)
    files = sorted({where.file for where in PROBLEMS.values()})
    subject = [folder_digest(data, files), words.digest, quick, least_words, *CONSTANTS]
    kept = KeptCells("hyperbolic-table-3", subject)
    names = QUICK_PROBLEMS if quick else tuple(PROBLEMS)
    runs = 1 if quick else REPEATS
    keys = laws.keys_of(names, WAYS, quick=quick)
    found: dict[tuple[str, str, float | None], list[dict[str, int]]] = {key: [] for key in keys}
    ways = Ways(words)
    with progress("Attacking", runs * len(keys)) as step:
        for name in names:
            attacked = Attacked(data, name, words, QUICK_TEXTS if quick else None, least_words)
            for run in range(runs):
                for key in (key for key in keys if key[0] == name):
                    cell = kept.get(f"{key} {run}", partial(attacked.right, ways, key[1], key[2], run))
                    found[key].append(cell)
                    step(1, f"{name}: {key[1]}")
    records = list(_records(found, laws.paper_cells(data, "Table III")))
    numbers = {"paper": "Feyisetan, Diethe and Drake 2019, Table III", "words": len(words), "measured": records}
    return Reproduction(
        numbers=numbers,
        tables=shown.tables(records),
        draw=lambda: shown.drawing(records),
        records=records,
        text=shown.section(records, len(words)),
    )


@dataclass(frozen=True)
class Attacked:
    """A problem and the attacks on it; nothing is read before it is needed."""

    folder: Path
    name: str
    vocabulary: Vocabulary
    most: int | None
    least_words: int | None

    @cached_property
    def problem(self) -> Problem:
        """The texts."""
        return read_problem(self.folder, self.name, most=self.most)

    @cached_property
    def _attacker(self) -> Authorship:
        return self._trained(self.problem.known)

    @cached_property
    def _texts(self) -> tuple[Texts, Texts]:
        known, asked = ([text for _, text in part] for part in (self.problem.known, self.problem.asked))
        return Texts(known, self.vocabulary), Texts(asked, self.vocabulary)

    def right(self, ways: Ways, way: str, epsilon: float | None, run: int) -> dict[str, int]:
        """Return how many texts get their author, if the attacker knows clean texts and if it knows rewritten ones."""
        asked = [text for _, text in self.problem.asked]
        if way in (ORIGINAL, SHUFFLED):
            attacker = self._attacker if way == ORIGINAL else self._misled(run)
            return {CLEAN: self._hits(attacker, asked, run), "of": len(asked)}
        law, (known_texts, asked_texts) = ways.law(way, epsilon), self._texts

        def source(part: str) -> RandomSource:
            return public_source("table 3", self.name, way, epsilon, run, part)

        written = asked_texts.rewritten(law, source("asked"))
        authors = [author for author, _ in self.problem.known]
        adapted = self._trained(zip(authors, known_texts.rewritten(law, source("known")), strict=True))
        return {
            CLEAN: self._hits(self._attacker, written, run),
            REWRITTEN: self._hits(adapted, written, run),
            "of": len(asked),
        }

    def _misled(self, run: int) -> Authorship:
        """Return an attacker who knows pieces of the texts, with their authors in a random order.

        Whole texts are too few in some problems: a random order leaves many where they were.
        """
        cut = [(author, text.split()) for author, text in self.problem.known]
        pieces = [
            (author, " ".join(words[first : first + PIECE]))
            for author, words in cut
            for first in range(0, len(words), PIECE)
        ]
        order = order_of(len(pieces), f"authors {self.name} {run}").tolist()
        return self._trained((author, pieces[place][1]) for (author, _), place in zip(pieces, order, strict=True))

    def _trained(self, known: Iterable[tuple[str, str]]) -> Authorship:
        joined: dict[str, list[str]] = {}
        for author, text in known:
            joined.setdefault(author, []).append(text)
        limit = {} if self.least_words is None else {"least_words": self.least_words}
        return Authorship({author: "\n".join(parts) for author, parts in joined.items()}, **limit)

    def _hits(self, attacker: Authorship, texts: Sequence[str], run: int) -> int:
        found = attacker.attribute(texts, source=public_source("attack", self.name, run))
        return sum(one.author == author for one, (author, _) in zip(found, self.problem.asked, strict=True))


def _records(
    found: Mapping[tuple[str, str, float | None], Sequence[Mapping[str, int]]], paper: Mapping[tuple[str, str], str]
) -> Iterator[dict[str, Any]]:
    """Yield one record for each problem, way of writing, epsilon and attacker."""
    for (name, way, epsilon), runs in found.items():
        row = "eps=inf" if epsilon is None else f"eps={epsilon:g}"
        has_row = way in (ORIGINAL, PUBLISHED, EXPONENTIAL)
        for attacker in (CLEAN, REWRITTEN):
            if attacker in runs[0]:
                yield {
                    "problem": name,
                    "way": way,
                    "epsilon": epsilon,
                    "attacker knows": attacker,
                    **interval([run[attacker] for run in runs]),
                    "of": runs[0]["of"],
                    "paper": int(paper[row, name]) if has_row else None,
                }
