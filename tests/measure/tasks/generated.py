"""Tiny generated data: a folder in the form of the public sets, and vectors that know the answers."""

from __future__ import annotations

import gzip
import lzma

import numpy as np

WORDS = 240
DIMENSION = 12


def packed_table(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    opener = lzma if path.suffix == ".xz" else gzip
    with opener.open(path, "wt", encoding="utf-8") as file:
        file.writelines("\t".join(map(str, row)) + "\n" for row in [header, *rows])


def generated_table():
    """Words and vectors: word i belongs to topic i % 4, which its vector shows."""
    rng = np.random.default_rng(0)
    topics = 4 * np.eye(4, DIMENSION)
    vectors = topics[np.arange(WORDS) % 4] + rng.standard_normal((WORDS, DIMENSION))
    return [f"word{i}" for i in range(WORDS)], vectors


def write_data(at):
    """Data sets made of those words: a text is about one topic, texts of one topic are alike."""
    words, vectors = generated_table()
    rng = np.random.default_rng(1)

    def text(topic):
        return " ".join(words[i] for i in 4 * rng.integers(0, WORDS // 4, 6) + topic)

    def alike(i, j):
        return float(vectors[i] @ vectors[j] / np.linalg.norm(vectors[i]) / np.linalg.norm(vectors[j]))

    pairs = rng.integers(0, WORDS, (300, 2))
    packed_table(
        at / "sim/wordsim.tsv.gz",
        ["dataset", "word1", "word2", "score"],
        [[name, words[i], words[j], alike(i, j)] for name in ("men3000", "simlex999", "simverb3500") for i, j in pairs],
    )
    topics = rng.integers(0, 4, (400, 2))
    splits = ["train", "dev", "test", "test"] * 100
    pair_rows = [
        (split, text(a), text(b), 5.0 * (a == b), int(a == b)) for split, (a, b) in zip(splits, topics, strict=True)
    ]
    packed_table(at / "sim/stsb.tsv.gz", ["split", "s1", "s2", "score"], [row[:4] for row in pair_rows])
    packed_table(
        at / "sim/sts12_16.tsv.gz",
        ["year", "source", "split", "score", "s1", "s2"],
        [("2014", "ab"[n % 2], "test", row[3], row[1], row[2]) for n, row in enumerate(pair_rows)],
    )
    packed_table(
        at / "sim/sick.tsv.gz",
        ["split", "s1", "s2", "relatedness", "entailment"],
        [(*row[:4], "YES" if row[4] else "NO") for row in pair_rows],
    )
    packed_table(
        at / "sim/mrpc.tsv.gz",
        ["split", "label", "s1", "s2"],
        [({"dev": "val"}.get(row[0], row[0]), row[4], row[1], row[2]) for row in pair_rows],
    )
    odd = [[*(words[4 * k + t] for k in rng.choice(WORDS // 4, 4, replace=False))] for t in rng.integers(0, 2, 200)]
    packed_table(
        at / "sim/odd_man_out.tsv.gz",
        ["set", "category", "odd", "a1", "a2", "a3", "a4"],
        [["crowd_filtered", "-", words[4 * int(rng.integers(0, WORDS // 4)) + 2], *four] for four in odd],
    )
    for name in ("mr", "cr", "mpqa", "subj"):
        rows = [(t % 2, text(t)) for t in rng.integers(0, 4, 300)]
        packed_table(at / f"cls/{name}.tsv.gz", ["label", "text"], rows)
    for name in ("sst2", "sst5"):
        rows = [(split, t, text(t)) for split, t in zip(splits, rng.integers(0, 4, 400), strict=True)]
        packed_table(at / f"cls/{name}.tsv.gz", ["split", "label", "text"], rows)
    rows = [("test" if n % 4 == 0 else "train", f"KIND{t}", text(t)) for n, t in enumerate(rng.integers(0, 4, 400))]
    packed_table(at / "cls/trec.tsv.gz", ["split", "coarse", "text"], rows)
    lexicon = [(words[i], int(i % 4 < 2)) for i in range(WORDS)] + [("both", 0), ("both", 1)]
    packed_table(at / "cls/opinion_lexicon.tsv.gz", ["word", "label"], lexicon)
    reviews = [" ".join(text(t) for t in rng.integers(0, 4, 4)) for _ in range(150)]
    packed_table(at / "cls/imdb.tsv.xz", ["label", "text"], [(0, one) for one in reviews])
    listed = [*words, "misogynist", "https://nowhere"]
    columns = [f"delta_tau_0.{n}0" for n in range(1, 6)]
    rows = [(word, *(float(n < 5 - place % 5) for n in range(5))) for place, word in enumerate(listed)]
    packed_table(at / "reference/nadp_delta.tsv.xz", ["word", *columns], rows)
    name = at / "vectors/glove.6B.300d.80k_plus_tasks"
    name.parent.mkdir()
    np.savez(f"{name}.f16.npz", vectors=vectors.astype(np.float16))
    with gzip.open(f"{name}.words.txt.gz", "wt", encoding="utf-8") as file:
        file.writelines(word + "\n" for word in words)
    return at
