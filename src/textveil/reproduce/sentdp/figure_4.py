"""Figure 4 of Meehan, Mrini and Chaudhuri (2022): macro F1 against epsilon, and against the number of sentences.

Train and validation documents are public; test documents are private and released once a trial. GoodReads is not
here: only 200 of its reviews could be had. The encoder is MiniLM instead of SBERT, and classifiers are linear.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from textveil.encoders import MiniLM
from textveil.encoders.encoder import Encoder
from textveil.learn.recoder import Recipe
from textveil.progress import Step, progress
from textveil.randomness import RandomSource
from textveil.reproduce.kept_cells import KeptCells
from textveil.reproduce.repeats import folder_digest
from textveil.reproduce.reproduction import Reproduction
from textveil.reproduce.sentdp import documents
from textveil.reproduce.sentdp.classify import Classifier, Labels, macro_f1, spread
from textveil.reproduce.sentdp.documents import DataSet, Part, Sizes
from textveil.reproduce.sentdp.files import words_of
from textveil.reproduce.sentdp.methods import OURS, SHUFFLED, Method, methods
from textveil.reproduce.sentdp.showing import claims_table, draw, score_table

FILES = ("cls/newsgroups20.tsv.xz", "cls/imdb.tsv.xz")
SETS = {"20 Newsgroups": documents.newsgroups, "IMDB": documents.imdb}
# The number of sentences against which F1 is shown is at this epsilon, as in the paper.
STRONG = 10.0
LENGTHS = ((2, 4), (5, 7), (8, 11), (12, 17), (18, documents.MOST_SENTENCES))
# Documents of the paper: train, validation and test. Its third set, Good Reads, could not be had.
PAPER = {"20 Newsgroups": (6743, 2247, 2249), "IMDB": (23000, 2000, 4000)}
# Words that word by word rewriting chooses from.
_WORDS = 15_000
NON_PRIVATE, GUESS = "non-private", "random guess"


@dataclass(frozen=True)
class Plan:
    """How much is done.

    Parameters
    ----------
    sizes : of the parts of each data set
    epsilons : all of the figure's upper row; 10 must be among them
    trials : releases of the test documents
    word_documents : test documents that are rewritten word by word
    recipe : of the published configuration's recoder
    """

    sizes: Sizes
    epsilons: tuple[float, ...]
    trials: int
    word_documents: int
    recipe: Recipe


FULL = Plan(Sizes(5000, 1000, 1000), (1.0, 2.0, 4.0, 6.0, 8.0, STRONG, 15.0, 20.0, 30.0), 5, 120, Recipe(epochs=10))
QUICK = Plan(Sizes(1000, 200, 200), (1.0, 4.0, STRONG), 2, 30, Recipe(epochs=5))


def figure_4(
    *, data: Path, quick: bool = False, encoder: Encoder | None = None, plan: Plan | None = None
) -> Reproduction:
    """Measure what private documents are worth.

    Parameters
    ----------
    data : folder with cls/newsgroups20.tsv.xz and cls/imdb.tsv.xz
    quick : a fifth of the documents, two trials, three epsilons
    encoder : by default MiniLM in int8
    plan : how much is done, instead of what `quick` says
    """
    chosen, used = plan or (QUICK if quick else FULL), encoder or MiniLM(precision="int8")
    words = words_of(data, _WORDS)
    kept = KeptCells("sentdp-figure-4", [folder_digest(data, FILES), used.digest, words.digest, repr(chosen)])
    records: list[dict[str, Any]] = []
    for name, read in SETS.items():
        found = documents.encoded(name, read(data), chosen.sizes, used)
        ways = methods(found, used, recipe=chosen.recipe, words=words, word_documents=chosen.word_documents)
        with progress(name, len(ways) * len(chosen.epsilons)) as step:
            records += _measured(found, ways, chosen, kept, step)
        records += shuffled_labels(found, ways[OURS], _best(ways[OURS], STRONG, found.validation))
    numbers = {
        "paper": "Meehan, Mrini and Chaudhuri 2022, Figure 4",
        "documents": chosen.sizes._asdict(),
        "paper's documents": PAPER,
        "epochs": chosen.recipe.epochs,
        "trials": chosen.trials,
        "words": {"count": len(words), "dimension": words.dimension},
        "measured": records,
    }
    tables = [score_table(records, name, against) for name in SETS for against in ("epsilon", "sentences")]
    return Reproduction(
        numbers=numbers, tables=(*tables, claims_table(records)), draw=lambda: draw(records), records=records
    )


def _measured(
    data: DataSet, ways: Mapping[str, Method], plan: Plan, kept: KeptCells, step: Step
) -> list[dict[str, Any]]:
    """Return all numbers of a data set, one record each; those of an earlier run are not measured again."""
    clean = Classifier(data.train.means, data.train.labels)
    records = _records(data, NON_PRIVATE, "none", None, [clean(data.test.means)], data.test)
    for name, way in ways.items():
        for epsilon in plan.epsilons:
            records += kept.get(
                f"{data.name} {name} {epsilon:g}", partial(_released, data, name, way, epsilon, plan.trials)
            )
            step(title=f"{data.name}: {name}")
    # A guess by the shares of the classes has precision and recall equal to the share, so its macro F1 is 1 / classes.
    guess = {"data": data.name, "method": GUESS, "promise": "none", "epsilon": None, "choice": None}
    records.append({**guess, "sentences": "all", **spread([1 / len(data.classes)]), "runs": 1, "documents": 0})
    return records


def _released(data: DataSet, name: str, way: Method, epsilon: float, trials: int) -> list[dict[str, Any]]:
    """Return what documents are worth that one method has released."""
    test = data.test if way.most_documents is None else data.test.first(way.most_documents)
    choice = _best(way, epsilon, data.validation)
    found = [way.classifier(way.release(choice, epsilon, test, _public("test", trial))) for trial in range(trials)]
    return _records(data, name, way.promise, epsilon, found, test, choice)


def _best(way: Method, epsilon: float, validation: Part) -> Any:
    """Return the choice with the best macro F1 on public validation documents, one release each."""
    if len(way.choices) == 1:
        return way.choices[0]
    scores = [
        way.classifier.macro_f1(way.release(choice, epsilon, validation, _public("validation", 0)), validation.labels)
        for choice in way.choices
    ]
    return way.choices[int(np.argmax(scores))]


def _records(
    data: DataSet,
    method: str,
    promise: str,
    epsilon: float | None,
    found: Sequence[Labels],
    test: Part,
    choice: Any = None,
) -> list[dict[str, Any]]:
    """Return the macro F1 of trials over all documents and, at epsilon 10 or without noise, by length."""
    lengths = {"all": np.ones(len(test), dtype=bool)}
    if epsilon in (None, STRONG):
        lengths |= {f"{low}-{high}": (test.counts >= low) & (test.counts <= high) for low, high in LENGTHS}
    about = {"data": data.name, "method": method, "promise": promise, "epsilon": epsilon}
    return [
        {
            **about,
            "choice": None if choice is None else str(choice),
            "sentences": length,
            **spread([macro_f1(one[some], test.labels[some]) for one in found]),
            "runs": len(found),
            "documents": int(some.sum()),
        }
        for length, some in lengths.items()
        if some.any()
    ]


def shuffled_labels(data: DataSet, way: Method, choice: Any, *, shuffles: int = 20) -> list[dict[str, Any]]:
    """Measure what classifiers that learnt from shuffled labels make of releases at epsilon 10: they must guess.

    They learn from as many documents of each class: with nothing to learn from all documents a classifier names the
    commonest class always, whatever leaks.
    """
    labels = data.train.labels
    classes, counts = np.unique(labels, return_counts=True)
    rows = np.concatenate([np.flatnonzero(labels == one)[: counts.min()] for one in classes])
    released, found = way.release(choice, STRONG, data.test, _public("test", 0)), []
    for number in range(shuffles):
        order = np.argsort(_public("labels", number).streams(b"order", np.arange(len(rows))).words(1)[:, 0])
        found.append(Classifier(data.train.means[rows], labels[rows[order]])(released))
    return _records(data, SHUFFLED, way.promise, STRONG, found, data.test, choice)[:1]


def _public(what: str, trial: int) -> RandomSource:
    """A source that anyone can repeat: nothing here is private."""
    return RandomSource.keyed(hashlib.sha256(f"textveil reproduce sentdp {what} {trial}".encode()).digest())
