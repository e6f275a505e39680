"""The results to read: tables, what the paper says beside what was measured, and the section of docs/results.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from textveil.reproduce.claims import (
    NO,
    UNDECIDED,
    YES,
    Claim,
    Compared,
    claims_table,
    judged,
    lead,
    leads,
    steps,
    verdict,
)
from textveil.reproduce.nadp.drawing import draw
from textveil.reproduce.nadp.mechanisms import GAUSSIAN, JACCARD, LAPLACIAN, MAHALANOBIS, NADP, OURS
from textveil.reproduce.nadp.neighbours import PAPER
from textveil.reproduce.nadp.utility import CLASSES, MEN, PUZZLES, SENTENCES, WORDS
from textveil.reproduce.pivots import Pivot, Records, chosen, mean_of, pivot, reproduction
from textveil.reproduce.repeats import told
from textveil.reproduce.reproduction import Reproduction

CLEAN, SHUFFLED = "no noise", "no noise, shuffled answers"
TASKS = (WORDS, SENTENCES, CLASSES, PUZZLES)
# The paper's mechanisms beside NADP.
OTHERS = (GAUSSIAN, LAPLACIAN, MAHALANOBIS, JACCARD)
# Released by the authors with their code: MEN at epsilon .8, and the share of puzzles solved at 40 (of 1,173, many of
# them twice, a quarter of them with unknown words). The paper's figures have no numbers.
AUTHORS_MEN = {NADP: 0.357, GAUSSIAN: -0.021, LAPLACIAN: -0.003, MAHALANOBIS: 0.007, JACCARD: -0.019}
AUTHORS_PUZZLES = {NADP: 0.341, GAUSSIAN: 0.198, LAPLACIAN: 0.130, MAHALANOBIS: 0.314, JACCARD: 0.199}
_ANSWERED = 1 - 0.242
# Scores are alike if they differ by no more.
ALIKE = 0.05

_HOW = """\
## Paper 5: neighbourhood-aware noise

`textveil reproduce nadp --data FOLDER` (`--quick` for a small part; FOLDER holds
`vectors/glove.6B.300d.80k_plus_tasks`, `sim/wordsim.tsv.gz`, `sim/stsb.tsv.gz`, `sim/odd_man_out.tsv.gz`, MR, CR, MPQA
and `reference/nadp_delta.tsv.xz`, the paper's list of words) measures Figures 2 to 4 and Table 1 of Bollegala et al.
(2023). GloVe 42B could not be had, so that vectors are those of GloVe 6B, for {words:,} of the paper's 73,404 words
that it has. δ = 1/73,404 and τ = 0.5 as the text says of Figure 2 (further on it says τ = 0.1). STS-B has
{sentence_pairs:,} test pairs here (paper 1,379), odd man out {puzzles:,} puzzles of the crowd (paper 843). The graph
joins a word to its nearest, if their ten nearest words overlap enough, as the authors' code does. The Gaussian baseline
has noise for the longest edge of the graph ({l2:.2f}), so it is our variant "radius", which promises (ε, δ) for every
pair up to that distance. *Ours* is the variant "word" at ε / {l2:.2f} for a unit of distance: ε at that distance, no δ.
Numbers are means over runs with 95% intervals, all from public keys. In a run each word is released once, and a text is
the average of the releases of its words. Finished cells are kept in the cache. Here: {runs}
runs for Figure 2, with {rows:,} texts of each set of reviews; {skewed_runs} for Figure 3, with {sampled:,} words. Noise
is drawn anew for each mechanism, ε, τ and run; folds are the same in all.

![Four tasks, skewness and recovered words against epsilon; overlaps with Gaussian noise](pictures/nadp.png)
"""

_ON_CLASSES = "What noise alone scores above chance is learnt by heart: a word is released once."
_ON_SKEWNESS = """\
The overlap of a word is the Jaccard index of its ten nearest words and the ten nearest to its release. Where nearly all
overlaps are the same, their skewness hangs on the few that differ, and intervals are wide; where all are the same it is
0.
"""


def reported(
    records: Records, about: Mapping[str, Any], neighbours: Sequence[dict[str, str]], plan: Mapping[str, Any]
) -> Reproduction:
    """Return everything to read, of the records of `paper`, what is known of the words, and Table 1."""
    tables = [
        *_tables(records, plan["sampled"]),
        _bare(about),
        _nearest(neighbours),
        claims_table("What the paper says, and what was measured", [*CLAIMS, _never_discloses(neighbours)], records),
    ]  # fmt: skip
    counts = {name: about[name] for name in ("words", "sentence_pairs", "puzzles")}
    how = _HOW.format(**{**plan, **counts}, l2=about["longest edge, l2"])
    known = {"plan": dict(plan), "about": dict(about), "table 1": list(neighbours)}
    return reproduction("Bollegala et al. 2023", how, tables, records, draw, **known)


def _nearest(neighbours: Sequence[Mapping[str, str]]) -> Pivot:
    """Return Table 1, the published words beside ours."""
    rows = [[*row.values(), *PAPER.get(row["word"], ())] for row in neighbours]
    published = [f"published, {name}" for name in ("no noise", MAHALANOBIS, NADP)]
    header = [*(neighbours[0] if neighbours else ["word"]), *published]
    return Pivot("Table 1, the three nearest words, at ε = 10 (the paper does not say at which)", header, rows)


def _tables(records: Records, sampled: int) -> list[Pivot]:
    utility, privacy = (chosen(records, part=f"Figure {number}") for number in (2, 3))
    titles = {
        WORDS: "Figure 2 (a), Spearman's correlation on MEN, SimLex and SimVerb together",
        SENTENCES: "Figure 2 (b), STS-B",
        CLASSES: "Figure 2 (c), mean accuracy on MR, CR and MPQA",
        PUZZLES: "Figure 2 (d), odd man out",
    }
    notes = {SENTENCES: _on_sentences(utility), CLASSES: _ON_CLASSES}
    tables = [
        pivot(title, chosen(utility, measure=measure), note=notes.get(measure, "")) for measure, title in titles.items()
    ]
    tables.append(_beside_authors(utility))
    skewed, recovered = (chosen(privacy, measure=measure) for measure in ("skewness", "recovered"))
    tables += [
        pivot("Figure 3, skewness of the overlap of neighbours", skewed, note=_ON_SKEWNESS),
        pivot(
            "Words that are nearest to their release: an attacker finds them",
            recovered,
            note=f"Intervals are those of the noise, for the same {sampled:,} words in every run. Taking others would "
            f"move a share by up to ± {0.98 / math.sqrt(sampled):.3f} more (95%).",
        ),
    ]
    noise = [
        {**one, "mechanism": f"deviation {one['epsilon']:g}"}
        for one in chosen(records, part="Figure 4")
        if one["measure"] in ("skewness", "recovered")
    ]
    return [
        *tables,
        pivot("Figure 4, by the deviation of Gaussian noise", noise, column="measure", note="One run each."),
    ]


def _on_sentences(utility: Records) -> str:
    """Say what STS-B's scores show."""
    found = [one for one in chosen(utility, measure=SENTENCES) if one["epsilon"] is not None]
    noisy, nadp = ([one["mean"] for one in found if one["mechanism"] in names] for names in (OTHERS, (NADP,)))
    clean = mean_of(utility, measure=SENTENCES, mechanism=CLEAN)
    return (
        f"Geometric mean of Spearman's and Pearson's correlation. No noise scores {clean:.3f}, noise on all words "
        f"{min(noisy):.3f} to {max(noisy):.3f}: a word is released once, and one random vector a word still tells "
        f"which words two sentences share. NADP scores {min(nadp):.3f} to {max(nadp):.3f}: it has noise on some words "
        "only, whose vectors become many times longer than the others and drown them in an average."
    )


def _beside_authors(utility: Records) -> Pivot:
    """Return our numbers beside those that the authors released, in the two cells that they did."""

    def cell(mechanism: str, measure: str, epsilon: float) -> str:
        found = chosen(utility, mechanism=mechanism, measure=measure, epsilon=epsilon)
        return told(found[0]) if found else ""

    rows = [
        [
            name,
            f"{AUTHORS_MEN[name]:.3f}",
            cell(name, MEN, 0.8),
            f"{AUTHORS_PUZZLES[name] / _ANSWERED:.3f}",
            cell(name, PUZZLES, 40.0),
        ]
        for name in AUTHORS_MEN
    ]
    header = ["", "MEN at ε = 0.8, authors", "here", "odd man out at ε = 40, authors, of puzzles answered", "here"]
    return Pivot("Beside the numbers that the authors released with their code", header, rows)


def _bare(about: Mapping[str, Any]) -> Pivot:
    authors = about["authors"]
    rows = [
        [f"τ = {float(one):g}", f"{count / authors['words']:.1%}",
         f"{about['without noise'][f'{float(one):g}']:.1%}" if f"{float(one):g}" in about["without noise"] else "",
         ", ".join(word for word, bare in authors["of table 1"].items() if one in bare)]
        for one, count in authors["without noise"].items()
    ]  # fmt: skip
    header = ["", "the authors' table", "here", "of Table 1, by the authors' table"]
    return Pivot("Words that NADP releases without any noise", header, rows)


def _is(mechanisms: str | tuple[str, ...], *measures: str) -> Callable[[dict[str, Any]], bool]:
    return lambda one: (
        one["mechanism"].startswith(mechanisms) and one["measure"] in measures and one["epsilon"] is not None
    )


def _ahead(ahead: tuple[str, ...], behind: tuple[str, ...], *measures: str, low: float = 0.0) -> Compared:
    """Compare each of some mechanisms with each of others in Figure 2, from some epsilon on."""

    def compared(records: Records) -> tuple[str, str]:
        some = [one for one in chosen(records, part="Figure 2") if (one["epsilon"] or 0.0) >= low]
        return judged(leads(some, _is(ahead, *measures), _is(behind, *measures)))

    return compared


def _alike(records: Records) -> tuple[str, str]:
    found = leads(chosen(records, part="Figure 2"), _is(JACCARD, *TASKS), _is(GAUSSIAN, *TASKS))
    most = max(abs(one.value) for one in found)
    return f"differ by {most:.3f} at most", YES if most <= ALIKE else NO


def _skewed(records: Records) -> list[dict[str, Any]]:
    return chosen(records, part="Figure 3", measure="skewness")


def _least_skewed(records: Records) -> tuple[str, str]:
    told_found, holds = judged(leads(_skewed(records), _is(OTHERS, "skewness"), _is(NADP, "skewness")), 2)
    return f"NADP is less skewed by {told_found}", holds


def _grows_with_threshold(records: Records) -> tuple[str, str]:
    """Compare NADP with each threshold with NADP with the threshold before."""
    return judged(steps(list(filter(_is(NADP, "skewness"), _skewed(records)))), 2)


def _near_zero(records: Records) -> tuple[str, str]:
    """Compare how far skewness is from 0, at epsilons below 5."""
    strict = [{**one, "mean": abs(one["mean"])} for one in _skewed(records) if one["epsilon"] < 5]
    nadp = [one["mean"] for one in _skewed(records) if one["epsilon"] < 5 and one["mechanism"].startswith(NADP)]
    others = [one["mean"] for one in strict if one["mechanism"] in OTHERS]
    told_found, holds = judged(leads(strict, _is(OTHERS, "skewness"), _is(NADP, "skewness")), 2)
    means = f"NADP {min(nadp):.2f} to {max(nadp):.2f}, others {min(others):.2f} to {max(others):.2f}"
    return f"{means}; nearer to 0 by {told_found}", holds


def _recovered(records: Records) -> tuple[str, str]:
    some = chosen(records, part="Figure 3", measure="recovered")
    least = min(one["epsilon"] for one in some)
    strict = chosen(some, epsilon=least)
    nadp, gaussian = ([one["mean"] for one in strict if one["mechanism"].startswith(name)] for name in (NADP, GAUSSIAN))
    told_found = f"at ε = {least:g} an attacker finds {min(nadp):.1%} to {max(nadp):.1%} of the words"
    found = leads(strict, _is(GAUSSIAN, "recovered"), _is(NADP, "recovered"))
    return f"{told_found}; with Gaussian noise {gaussian[0]:.1%}", verdict(found)


def _grows(records: Records) -> tuple[str, str]:
    own = [one for one in chosen(records, part="Figure 4", measure="skewness") if one["epsilon"] >= 0.1]
    told_found, holds = judged([lead(after, before) for before, after in pairwise(own)], 2)
    return f"{own[0]['mean']:.2f} to {own[-1]['mean']:.2f}, by steps of {told_found}", holds


def _never_discloses(neighbours: Sequence[Mapping[str, str]]) -> Claim:
    """Return what Table 1 says in words: NADP never gives the word itself."""
    found = []
    for name in dict.fromkeys(name for row in neighbours for name in row if name.startswith(NADP)):
        words = [row["word"] for row in neighbours if row["word"] in row[name].split(", ")]
        found.append((name, words))
    told_found = "; ".join(f"{name}: {', '.join(words) or 'none'}" for name, words in found)
    holds = UNDECIDED if not found else NO if any(words for _, words in found) else YES
    return Claim(
        "Table 1: with NADP a word is never among the words nearest to its release (one such word is a no)",
        lambda records: (told_found or "none of the words is known", holds),
        "a word that is joined to no other has no noise; how many are depends on τ, which the paper does not name here",
        NO,
    )


CLAIMS = (
    Claim(
        "NADP is best in all four tasks at all ε",
        _ahead((NADP,), OTHERS, *TASKS),
        "its words without noise carry (a) and (d); on STS-B noise costs the others little, and its few noisy words "
        "drown the rest in an average",
        NO,
    ),
    Claim(
        "Mahalanobis is second in (a), (c) and (d)",
        _ahead((MAHALANOBIS,), (GAUSSIAN, LAPLACIAN, JACCARD), WORDS, CLASSES, PUZZLES),
        "its ε is for a unit of distance, that of the others for the longest edge: it has far less noise",
        UNDECIDED,
    ),
    Claim(
        "Mahalanobis is worst on STS-B",
        _ahead((NADP, GAUSSIAN, LAPLACIAN, JACCARD), (MAHALANOBIS,), SENTENCES),
        "NADP is the worst here, by its noise on some words only; Jaccard is below Mahalanobis too",
        NO,
    ),
    Claim(
        f"Jaccard and Gaussian are alike (within {ALIKE:g} of the score)",
        _alike,
        "two sizes of nearly the same noise; the authors' code has one",
        YES,
    ),
    Claim(
        "for large ε (20 and more) Gaussian is ahead of Laplacian in (a), (c) and (d)",
        _ahead((GAUSSIAN,), (LAPLACIAN,), WORDS, CLASSES, PUZZLES, low=20.0),
        "noise of each coordinate is for l1 distances, which are longer",
        UNDECIDED,
    ),
    Claim(
        "NADP has the least skewness, so it protects best",
        _least_skewed,
        "skewness is no measure of privacy: it is 0 where every word is released as it is",
        NO,
    ),
    Claim(
        "skewness slightly increases with τ",
        _grows_with_threshold,
        "it falls: a larger τ leaves more words without noise, whose overlap is 1: the tail turns from right to left",
        NO,
    ),
    Claim(
        "for ε < 5 NADP is the only one with near-zero skewness (its distance from 0 is less than that of the others)",
        _near_zero,
        "with the others nearly all overlaps are 0, and the few that are not make it large; but the paper says that "
        "little skewness protects, and here it comes of words without noise",
        YES,
    ),
    Claim(
        "NADP guarantees more privacy (here: an attacker finds fewer words than with Gaussian noise)",
        _recovered,
        "words without noise are found",
        NO,
    ),
    Claim(
        "skewness grows with Gaussian noise from a deviation of 0.1 on",
        _grows,
        "fewer and fewer words keep their neighbours; single runs have no interval by which to judge a step back",
        UNDECIDED,
    ),
    Claim(
        "(ours) the variant word is ahead of Gaussian at the same loss for the longest edge",
        _ahead((OURS,), (GAUSSIAN,), *TASKS),
        "where ε is small neither tells anything; where it is large ours scores what no noise scores",
        NO,
    ),
)
