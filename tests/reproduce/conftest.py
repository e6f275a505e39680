"""Small data in the form of the real ones: texts of authors with habits of their own, tasks, and tables of a paper."""

from __future__ import annotations

import gzip
import lzma

import numpy as np
import pytest

import textveil as tv
from textveil.spaces import Poincare

AUTHORS = ("A", "B", "C")
EPSILONS = ("0.5", "1", "2", "8", "inf")


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory):
    """As for single tests: what a whole module shares keeps its results to itself, too."""
    with pytest.MonkeyPatch.context() as patch:
        folder = str(tmp_path_factory.mktemp("cache"))
        patch.setenv("TEXTVEIL_CACHE", folder)
        yield folder


def write(path, names, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = lzma.open if path.suffix == ".xz" else gzip.open
    with opened(path, "wt", encoding="utf-8", newline="\n") as file:
        file.writelines("\t".join(map(str, row)) + "\n" for row in (names, *rows))


def invented(rng, count):
    """Words of four to nine letters."""
    return ["".join(rng.choice(list("abcdefghijklmnoprstuvw"), rng.integers(4, 10))) for _ in range(count)]


@pytest.fixture(scope="session")
def ball():
    """300 invented words in the disc, spread evenly by angle, most of them far out."""
    rng = np.random.default_rng(5)
    words = sorted({*invented(rng, 300)})
    angles, radii = rng.uniform(0, 2 * np.pi, len(words)), np.tanh(rng.uniform(0.5, 3, len(words)))
    points = np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1)
    return tv.Vocabulary(words, points, space=Poincare(2))


@pytest.fixture(scope="session")
def pan(tmp_path_factory, ball):
    """PAN's problems: each author has favourites among the words; D is C with texts of somebody else."""
    rng, folder = np.random.default_rng(6), tmp_path_factory.mktemp("pan")
    likings = {author: rng.dirichlet(np.full(len(ball), 0.05)) for author in (*AUTHORS, "None")}

    def text(author, words):
        return " ".join(["the", *rng.choice(ball.words, words, p=likings[author])]) + "\\n"

    def problem(name, known, asked, words):
        rows = [(name, "train", number, author, text(author, 300)) for number, author in enumerate(known)]
        return rows + [(name, "test", number, author, text(author, words)) for number, author in enumerate(asked)]

    columns = ("problem", "split", "id", "author", "text")
    mail = problem("small", AUTHORS, AUTHORS * 10, 20) + problem("large", AUTHORS, AUTHORS * 10, 20)
    write(folder / "author/pan11.tsv.xz", columns, mail)
    books = [row for name in "ACI" for row in problem(name, AUTHORS, AUTHORS, 100)]
    books += problem("D", (), (*AUTHORS, "None"), 100)
    write(folder / "author/pan12.tsv.xz", columns, books)
    names = ("PAN11 small", "PAN11 large", "PAN12 A", "PAN12 C", "PAN12 D", "PAN12 I")
    cells = [("2-hyperbolic", "Table III", "count", f"eps={e}", name, 1) for e in EPSILONS for name in names]
    write(folder / "reference/paper_tables.tsv.gz", ("paper", "table", "metric", "row", "column", "value"), cells)
    return folder
