"""Tasks from a folder of public data sets.

Tables are tab-separated: sim/wordsim.tsv.gz (dataset, word1, word2, score), sim/stsb.tsv.gz, sim/sts12_16.tsv.gz,
sim/sick.tsv.gz, sim/mrpc.tsv.gz, sim/odd_man_out.tsv.gz, cls/{mr,cr,mpqa,subj,sst2,sst5,trec}.tsv.gz and
cls/opinion_lexicon.tsv.gz. Only the table of the task asked for is read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from textveil.errors import InvalidInputError
from textveil.measure.tasks.classification import Classification
from textveil.measure.tasks.lexicon import Lexicon
from textveil.measure.tasks.odd_man_out import OddManOut
from textveil.measure.tasks.pair_classification import PairClassification
from textveil.measure.tasks.similarity import Similarity
from textveil.measure.tasks.tables import rows_of
from textveil.measure.tasks.task import Task, order_of

_WORD_PAIRS = ("simlex999", "simverb3500", "men3000", "ws353", "rg65", "mc30", "rw2034", "mturk771")
_YEARS = ("2012", "2013", "2014", "2015", "2016")


def word_pairs(name: str, folder: Path) -> Similarity:
    """Word similarity: one set of sim/wordsim.tsv.gz."""
    columns = ("dataset", "word1", "word2", "score")
    rows = [row[1:] for row in rows_of(folder, "sim/wordsim.tsv.gz", *columns) if row[0] == name]
    return _similarity(name, rows)


def sts_benchmark(folder: Path) -> Similarity:
    """STS-B: its 1,379 test pairs."""
    rows = [row[1:] for row in rows_of(folder, "sim/stsb.tsv.gz", "split", "s1", "s2", "score") if row[0] == "test"]
    return _similarity("stsb", rows)


def sts_of(year: str, folder: Path) -> Similarity:
    """STS of one year: its test pairs, in as many groups as it has sources."""
    columns = ("year", "split", "s1", "s2", "score", "source")
    rows = [row[2:] for row in rows_of(folder, "sim/sts12_16.tsv.gz", *columns) if row[:2] == [year, "test"]]
    return _similarity(f"sts{year[2:]}", rows)


def sick_relatedness(folder: Path) -> Similarity:
    """SICK: how related the test pairs are."""
    columns = ("split", "s1", "s2", "relatedness")
    return _similarity("sick-r", [row[1:] for row in rows_of(folder, "sim/sick.tsv.gz", *columns) if row[0] == "test"])


def sick_entailment(folder: Path) -> PairClassification:
    """SICK: whether the first text entails the second."""
    rows = list(rows_of(folder, "sim/sick.tsv.gz", "s1", "s2", "entailment", "split"))
    first, second, labels, parts = _columns(rows)
    return PairClassification("sick-e", first, second, labels, parts)


def paraphrases(folder: Path) -> PairClassification:
    """MRPC: whether two texts say the same."""
    rows = list(rows_of(folder, "sim/mrpc.tsv.gz", "s1", "s2", "label", "split"))
    first, second, labels, parts = _columns(rows)
    return PairClassification("mrpc", first, second, labels, tuple({"val": "dev"}.get(part, part) for part in parts))


def texts_of(name: str, folder: Path) -> Classification:
    """Return MR, CR, MPQA or SUBJ: two classes, every row tested once."""
    texts, labels = _columns(list(rows_of(folder, f"cls/{name}.tsv.gz", "text", "label")))
    return Classification(name, texts, labels)


def parted_texts_of(name: str, folder: Path) -> Classification:
    """Return SST-2 or SST-5, with parts of their own."""
    texts, labels, parts = _columns(list(rows_of(folder, f"cls/{name}.tsv.gz", "text", "label", "split")))
    return Classification(name, texts, labels, parts)


def questions(folder: Path) -> Classification:
    """TREC: six kinds of questions; a tenth of its training part chooses the strength."""
    rows = list(rows_of(folder, "cls/trec.tsv.gz", "text", "coarse", "split"))
    train = [place for place, row in enumerate(rows) if row[2] == "train"]
    for place in order_of(len(train), "trec dev")[: len(train) // 10].tolist():
        rows[train[place]][2] = "dev"
    texts, labels, parts = _columns(rows)
    return Classification("trec", texts, labels, parts)


def opinions(folder: Path) -> Lexicon:
    """The opinion lexicon, without the words that are in both of its lists."""
    classes: dict[str, set[str]] = {}
    for word, label in rows_of(folder, "cls/opinion_lexicon.tsv.gz", "word", "label"):
        classes.setdefault(word, set()).add(label)
    sure = {word: labels == {"1"} for word, labels in classes.items() if len(labels) == 1}
    return Lexicon("opinion lexicon", tuple(sure), tuple(sure.values()))


def puzzles(folder: Path) -> OddManOut:
    """Odd man out: the 585 puzzles of the crowd, each with its words in alphabetic order."""
    columns = ("set", "odd", "a1", "a2", "a3", "a4")
    rows = [row[1:] for row in rows_of(folder, "sim/odd_man_out.tsv.gz", *columns) if row[0] == "crowd_filtered"]
    ordered = [tuple(sorted(row)) for row in rows]
    odd = tuple(words.index(row[0]) for words, row in zip(ordered, rows, strict=True))
    return OddManOut("odd man out", tuple(ordered), odd)


TASKS: dict[str, Callable[[Path], Task]] = {
    **{name: partial(word_pairs, name) for name in _WORD_PAIRS},
    "stsb": sts_benchmark,
    **{f"sts{year[2:]}": partial(sts_of, year) for year in _YEARS},
    "sick-r": sick_relatedness,
    "sick-e": sick_entailment,
    "mrpc": paraphrases,
    **{name: partial(texts_of, name) for name in ("mr", "cr", "mpqa", "subj")},
    **{name: partial(parted_texts_of, name) for name in ("sst2", "sst5")},
    "trec": questions,
    "opinion lexicon": opinions,
    "odd man out": puzzles,
}


def read_task(name: str, folder: Path) -> Task:
    """Return a task of the folder.

    Parameters
    ----------
    name : a key of `TASKS`
    folder : that of the data sets
    """
    if name not in TASKS:
        raise InvalidInputError(f"there is no task {name!r}; known: {', '.join(TASKS)}")
    return TASKS[name](folder)


def _similarity(name: str, rows: list[list[str]]) -> Similarity:
    if not rows:
        raise InvalidInputError(f"the folder has no pairs of {name}")
    first, second, ratings, *groups = _columns(rows)
    return Similarity(name, first, second, tuple(map(float, ratings)), *groups)


def _columns(rows: list[list[str]]) -> list[tuple[str, ...]]:
    return [tuple(column) for column in zip(*rows, strict=True)]
