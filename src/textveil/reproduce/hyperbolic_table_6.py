"""Table VI of Feyisetan, Diethe and Drake (2019): what rewritten texts are worth to eight tasks.

As in the paper, the words between likely phrases are rewritten (phrases after Chen et al. 2012, counted in the texts
themselves), in the training part as in the test part, and a random word instead is the floor. Texts are averages of
GloVe's vectors of 300 dimensions, the nearest to the paper's fastText column; its InferSent is not here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from textveil.measure.tasks import Averages, Embed, Task, read_task
from textveil.measure.tasks.task import Vectors
from textveil.progress import progress
from textveil.reproduce import hyperbolic_laws as laws
from textveil.reproduce.claims import YES, lead, verdict
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
from textveil.reproduce.kept_cells import KeptCells
from textveil.reproduce.pivots import Pivot
from textveil.reproduce.repeats import folder_digest, interval, public_source, told
from textveil.reproduce.reproduction import Reproduction
from textveil.reproduce.sections import markdown_table
from textveil.reproduce.sentdp.files import words_of
from textveil.text.phrases import PhraseModel, UnlikelyWords
from textveil.vocabulary import Vocabulary

EPSILONS = (0.125, 1.0, 8.0)
COMMONEST = "always the commonest answer"
WAYS: dict[str, tuple[float | None, ...]] = {
    ORIGINAL: (None,),
    NO_NOISE: (None,),
    PUBLISHED: EPSILONS,
    EXPONENTIAL: EPSILONS,
    ANY_WORD: (None,),
    SHUFFLED: (None,),
    COMMONEST: (None,),
}
# The paper's names of the tasks, and ours.
TASKS = {
    "MR": "mr", "CR": "cr", "MPQA": "mpqa", "SST-5": "sst5", "TREC-6": "trec", "SICK-E": "sick-e", "MRPC": "mrpc",
    "STS14": "sts14",
}  # fmt: skip
QUICK_TASKS = ("CR", "TREC-6", "STS14")
FILES = (
    *(f"cls/{name}.tsv.gz" for name in ("mr", "cr", "mpqa", "sst5", "trec")),
    *(f"sim/{name}.tsv.gz" for name in ("sick", "mrpc", "sts12_16")),
)
REPEATS = 3
# Nothing is random in them: one run says all.
_CERTAIN = (ORIGINAL, NO_NOISE, COMMONEST)
# Encoders that the paper asked about original texts as well; neither is here.
ENCODERS = ("InferSent", "SkipThought")
_GLOVE_WORDS = 95_578
WHY = {
    ORIGINAL: "averages of GloVe's vectors and a logistic regression instead of fastText's and SentEval's classifiers",
    NO_NOISE: "not in the paper: what the vocabulary alone changes, since words outside it become one word",
    PUBLISHED: "other sentence vectors (the paper's are probably InferSent's), another vocabulary, and a chain whose "
    "covariance and number of steps the paper does not name",
    EXPONENTIAL: "another mechanism on the same words, which keeps its epsilon; the paper's numbers are of its own",
    ANY_WORD: "other sentence vectors, and words from another vocabulary",
    SHUFFLED: "not in the paper: what is left if there is nothing to learn",
    COMMONEST: "not in the paper: where shuffled labels must fall to; no correlation, for STS14",
}


def table_6(*, data: Path, quick: bool = False, vocabulary: Vocabulary | None = None) -> Reproduction:
    """Measure the tasks on original and rewritten texts.

    Parameters
    ----------
    data : folder with the tables of `FILES`; see `hearst_words` and `paper_cells` for the rest
    quick : one run of three tasks at two epsilons
    vocabulary : of the ball, instead of that of Hearst patterns
    """
    words = vocabulary or laws.hearst_words(data)
    glove = words_of(data, _GLOVE_WORDS)
    kept = KeptCells(
        "hyperbolic-table-6", [folder_digest(data, FILES), words.digest, glove.digest, laws.STEPS, laws.DRAWS]
    )
    names, runs, ways = QUICK_TASKS if quick else tuple(TASKS), 1 if quick else REPEATS, Ways(words)
    keys = laws.keys_of(names, WAYS, quick=quick)
    found: dict[tuple[str, str, float | None], list[dict[str, float]]] = {key: [] for key in keys}
    jobs = [(run, key) for run in range(runs) for key in keys if run == 0 or key[1] not in _CERTAIN]
    with progress("Rewriting", len(jobs)) as step:
        for name in names:
            written = Written(data, name, words, glove)
            for run, key in (job for job in jobs if job[1][0] == name):
                cell = kept.get(f"{key} {run}", partial(written.scores, ways, key[1], key[2], run))
                found[key].append(cell)
                step(1, f"{name}: {key[1]}")
    cells = laws.paper_cells(data, "Table VI")
    records, samples = list(_records(found, cells)), laws.paper_cells(data, "Table V")
    sizes = {name: {**size_of(read_task(TASKS[name], data)), "paper": samples.get((name, "samples"))} for name in names}
    others = {one: {name: cells.get((name, f"{one} original")) for name in names} for one in ENCODERS}
    numbers = {
        "paper": "Feyisetan, Diethe and Drake 2019, Table VI",
        "words": len(words),
        "measured": records,
        "Table V": sizes,
        "paper's other encoders": others,
    }
    return Reproduction(
        numbers=numbers,
        tables=_tables(records),
        records=records,
        text=_section(records, _sizes(sizes), _others(others)),
    )


def size_of(task: Task) -> dict[str, int]:
    """Return how many texts or pairs a task has, and how many classes; ratings have none."""
    labels = getattr(task, "labels", None)
    if labels is None:
        return {"samples": len(task.ratings), "classes": 0}  # type: ignore[attr-defined]
    return {"samples": len(labels), "classes": len(set(labels))}


class Written:
    """A task whose texts are rewritten before they become vectors.

    Parameters
    ----------
    folder, name : where the task is
    vocabulary : of the laws
    glove : words with vectors
    """

    def __init__(self, folder: Path, name: str, vocabulary: Vocabulary, glove: Vocabulary) -> None:
        self._folder, self._name, self._vocabulary, self._glove = folder, name, vocabulary, glove
        self._texts: dict[tuple[str, ...], Texts] = {}

    @cached_property
    def task(self) -> Task:
        """The task, read when it is needed."""
        return read_task(TASKS[self._name], self._folder)

    def scores(self, ways: Ways, way: str, epsilon: float | None, run: int) -> dict[str, float]:
        """Return the scores on texts that are written this way."""
        if way == ORIGINAL:
            return self.task.scores(self._averages)
        if way == SHUFFLED:
            return self.task.shuffled(run).scores(self._averages)
        if way == COMMONEST:
            return self.task.chance
        law, source = ways.law(way, epsilon), public_source("table 6", self._name, way, epsilon, run)

        def embed(texts: Sequence[str]) -> Vectors:
            return self._averages(self._found(texts).rewritten(law, source))

        return self.task.scores(embed)

    @property
    def _averages(self) -> Embed:
        # One for each use: it keeps what it has counted, and rewritten texts come once.
        return Averages(self._glove.words).of(self._glove.points)

    def _found(self, texts: Sequence[str]) -> Texts:
        """Return the texts with their words found, which is done once."""
        key = tuple(texts)
        if key not in self._texts:
            self._texts[key] = Texts(texts, self._vocabulary, self._protect)
        return self._texts[key]

    @cached_property
    def _protect(self) -> UnlikelyWords:
        return UnlikelyWords(PhraseModel.of_public_text(self.task.items))


def _records(
    found: Mapping[tuple[str, str, float | None], Sequence[Mapping[str, float]]], paper: Mapping[tuple[str, str], str]
) -> Iterator[dict[str, Any]]:
    """Yield one record for each task, way of writing, epsilon and measure."""
    for (name, way, epsilon), runs in found.items():
        column = {ORIGINAL: "fastText-BoV original", ANY_WORD: "random"}.get(way, f"HYP-100d eps={epsilon or 0:g}")
        printed = paper.get((name, column), "").split("/")
        measures = ("pearson", "spearman") if "pearson" in runs[0] else ("accuracy",)
        for place, measure in enumerate(measures):
            yield {
                "task": name,
                "way": way,
                "epsilon": epsilon,
                "measure": measure,
                **interval([run[measure] for run in runs]),
                "paper": float(printed[place]) / (1 if len(printed) > 1 else 100) if printed[0] else None,
            }


def grid(records: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the table, the paper's numbers in brackets."""
    columns = list(dict.fromkeys((record["task"], record["measure"]) for record in records))
    rows = []
    for way, epsilon in dict.fromkeys((record["way"], record["epsilon"]) for record in records):
        own = {(r["task"], r["measure"]): r for r in records if (r["way"], r["epsilon"]) == (way, epsilon)}
        rows.append(
            [
                laws.shown_as(way),
                "-" if epsilon is None else f"{epsilon:g}",
                *(_cell(own[column]) for column in columns),
            ]
        )
    return ["written by", "epsilon", *(f"{task}, {measure}" for task, measure in columns)], rows


def _cell(record: Mapping[str, Any]) -> str:
    return told(record) + ("" if record["paper"] is None else f" ({record['paper']:.3f})")


def _tables(records: Sequence[Mapping[str, Any]]) -> tuple[Table, Table]:
    title = "What rewritten texts are worth. Mean, 95% interval; the paper's in brackets"
    reasons = Table("written by", "reason", title="Why they differ", title_justify="left")
    for way, why in WHY.items():
        reasons.add_row(laws.shown_as(way), why)
    return Pivot(title, *grid(records)).rich(), reasons


def order(records: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return in which tasks a word drawn by a mechanism is clearly better than any word, at every epsilon."""
    better: dict[str, list[str]] = {}
    for way in (PUBLISHED, EXPONENTIAL):
        for task in dict.fromkeys(record["task"] for record in records):
            own = [r for r in records if r["task"] == task and r["measure"] != "spearman"]
            (floor,) = [r for r in own if r["way"] == ANY_WORD]
            if verdict(lead(r, floor) for r in own if r["way"] == way) == YES:
                better.setdefault(way, []).append(task)
    return better


def _order(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say what the order is, as far as runs tell."""
    if max(record["runs"] for record in records) == 1:
        return ["One run does not say which differences are more than chance."]
    better = order(records)
    return [
        f"{laws.shown_as(way)} is better than any word at every epsilon, by more than the intervals of both over runs, "
        f"in: {', '.join(better.get(way, ['none']))}."
        for way in (PUBLISHED, EXPONENTIAL)
    ]


def _sizes(sizes: Mapping[str, Mapping[str, Any]]) -> str:
    """Say how many samples there are here and in the paper's Table V."""
    told = [
        f"{name} {size['samples']:,}" + (f" ({int(size['paper']):,})" if size["paper"] else "")
        for name, size in sizes.items()
    ]
    return f"Samples here, and in brackets those of the paper's Table V: {', '.join(told)}."


def _others(others: Mapping[str, Mapping[str, str | None]]) -> str:
    """Say what the paper has of encoders that are not here."""
    told = [
        f"{encoder} {', '.join(f'{name} {cell}' for name, cell in cells.items() if cell)}"
        for encoder, cells in others.items()
    ]
    return f"Published of original texts with encoders that are not here, in percent but STS14: {'; '.join(told)}."


def _section(records: Sequence[Mapping[str, Any]], sizes: str, others: str) -> str:
    header, rows = grid(records)
    tasks, runs = {record["task"] for record in records}, max(record["runs"] for record in records)
    means = f"Mean over {runs} runs with its 95% interval, which is missing where all runs are equal"
    before = np.mean([r["mean"] for r in records if r["way"] == ORIGINAL and r["measure"] == "accuracy"])
    after = np.mean([r["mean"] for r in records if r["way"] == NO_NOISE and r["measure"] == "accuracy"])
    return "\n\n".join(
        [
            "## Paper 2, Table VI: tasks",
            "`textveil reproduce hyperbolic-table-6 --data FOLDER` rewrites the words between likely phrases and asks "
            f"{len(tasks)} of the paper's {len(TASKS)} tasks. "
            f"{'One run' if runs == 1 else means}; the paper's number in brackets. {sizes}",
            f"{laws.shared_draws()} {laws.IDLE} Texts to learn from and to test on are the same in all rows and runs.",
            markdown_table(header, rows),
            *_order(records),
            f"The vocabulary alone, without noise, takes the mean accuracy from {before:.3f} to {after:.3f}.",
            others,
            "Why they differ:",
            "\n".join(f"- *{laws.shown_as(way)}*: {why}." for way, why in WHY.items()),
        ]
    )
