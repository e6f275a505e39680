"""Utility tasks: vectors of words or texts in, scores out; one file a task.

Every task has the shape of `Task`: scores are of a function from words or texts to vectors, so that the same task
measures clean vectors, released ones, and clean vectors of rewritten texts.
"""

from textveil.measure.tasks.averages import Averages, tokens_of
from textveil.measure.tasks.classification import Classification
from textveil.measure.tasks.folder import TASKS, read_task
from textveil.measure.tasks.lexicon import Lexicon
from textveil.measure.tasks.odd_man_out import OddManOut
from textveil.measure.tasks.pair_classification import PairClassification
from textveil.measure.tasks.similarity import Similarity
from textveil.measure.tasks.task import Embed, Scores, Task, of_table

__all__ = [
    "TASKS",
    "Averages",
    "Classification",
    "Embed",
    "Lexicon",
    "OddManOut",
    "PairClassification",
    "Scores",
    "Similarity",
    "Task",
    "of_table",
    "read_task",
    "tokens_of",
]
