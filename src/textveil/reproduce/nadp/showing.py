"""The results to read: tables, what the paper says beside what was measured, and the section of docs/results.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from textveil.reproduce.claims import NO, YES, Claim, Lead, claims_table, lead, leads, told_leads, verdict
from textveil.reproduce.nadp.drawing import draw
from textveil.reproduce.nadp.mechanisms import GAUSSIAN, JACCARD, LAPLACIAN, MAHALANOBIS, NADP, OURS
from textveil.reproduce.nadp.neighbours import PAPER
from textveil.reproduce.nadp.utility import CLASSES, MEN, PUZZLES, SENTENCES, WORDS
from textveil.reproduce.pivots import Pivot, Records, chosen, pivot, reproduction
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
(2023). GloVe 42B could not be had, so that vectors are those of GloVe 6B, for the {words:,} of the paper's 73,404 words
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

_ON_SENTENCES = """\
Geometric mean of Spearman's and Pearson's correlation. Noise alone scores what no noise scores, or more: a word is
released once, and one random vector a word still tells which words two sentences share. NADP scores less: it has noise
on some words only, whose vectors become many times longer than the others (at ε = 0.8 about fifty times) and drown them
in an average.
"""
_ON_CLASSES = "Noise alone is above chance: one release a word can be learnt by heart."
_ON_SKEWNESS = """\
The overlap of a word is the Jaccard index of its ten nearest words and the ten nearest to its release. Where nearly all
overlaps are the same, their skewness hangs on the few that differ, and intervals are wide: at ε = 40 all overlaps of
ours are 1 in some runs (skewness 0), and all but a few in others (far below 0).
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
    notes = {SENTENCES: _ON_SENTENCES, CLASSES: _ON_CLASSES}
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


def _is(mechanism: str, *measures: str) -> Callable[[dict[str, Any]], bool]:
    return lambda one: (
        one["mechanism"].startswith(mechanism) and one["measure"] in measures and one["epsilon"] is not None
    )


def _ahead(ahead: Sequence[str], behind: Sequence[str], *measures: str, low: float = 0.0) -> Any:
    """Compare each of some mechanisms with each of others in Figure 2, from some epsilon on."""

    def compared(records: Records) -> tuple[str, str]:
        some = [one for one in chosen(records, part="Figure 2") if (one["epsilon"] or 0.0) >= low]
        found = [
            one
            for first in ahead
            for second in behind
            for one in leads(some, _is(first, *measures), _is(second, *measures))
        ]
        return told_leads(found), verdict(found)

    return compared


def _alike(records: Records) -> tuple[str, str]:
    found = leads(chosen(records, part="Figure 2"), _is(JACCARD, *TASKS), _is(GAUSSIAN, *TASKS))
    most = max(abs(one.value) for one in found)
    return f"differ by {most:.3f} at most", YES if most <= ALIKE else NO


def _skewed(records: Records) -> list[dict[str, Any]]:
    return chosen(records, part="Figure 3", measure="skewness")


def _least_skewed(records: Records) -> tuple[str, str]:
    found = [one for name in OTHERS for one in leads(_skewed(records), _is(name, "skewness"), _is(NADP, "skewness"))]
    return f"NADP is less skewed by {told_leads(found, 2)}", verdict(found)


def _grows_with_threshold(records: Records) -> tuple[str, str]:
    """Compare NADP with each threshold with NADP with the threshold before."""
    own = list(filter(_is(NADP, "skewness"), _skewed(records)))
    found: list[Lead] = []
    for epsilon in dict.fromkeys(one["epsilon"] for one in own):
        found += [lead(after, before) for before, after in pairwise(chosen(own, epsilon=epsilon))]
    return told_leads(found, 2), verdict(found)


def _near_zero(records: Records) -> tuple[str, str]:
    """Compare how far skewness is from 0, at epsilons below 5."""
    strict = [{**one, "mean": abs(one["mean"])} for one in _skewed(records) if one["epsilon"] < 5]
    nadp = [one["mean"] for one in _skewed(records) if one["epsilon"] < 5 and one["mechanism"].startswith(NADP)]
    others = [one["mean"] for one in strict if one["mechanism"] in OTHERS]
    found = [one for name in OTHERS for one in leads(strict, _is(name, "skewness"), _is(NADP, "skewness"))]
    means = f"NADP {min(nadp):.2f} to {max(nadp):.2f}, others {min(others):.2f} to {max(others):.2f}"
    return f"{means}; nearer to 0 by {told_leads(found, 2)}", verdict(found)


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
    found = [lead(after, before) for before, after in pairwise(own)]
    return f"{own[0]['mean']:.2f} to {own[-1]['mean']:.2f}, by steps of {told_leads(found, 2)}", verdict(found)


def _never_discloses(neighbours: Sequence[Mapping[str, str]]) -> Claim:
    """Return what Table 1 says in words: NADP never gives the word itself."""
    found = []
    for name in dict.fromkeys(name for row in neighbours for name in row if name.startswith(NADP)):
        words = [row["word"] for row in neighbours if row["word"] in row[name].split(", ")]
        found.append((name, words))
    told_found = "; ".join(f"{name}: {', '.join(words) or 'none'}" for name, words in found)
    return Claim(
        "Table 1: with NADP a word is never among the words nearest to its release (one such word is a no)",
        lambda records: (told_found or "none of the words is known", NO if any(words for _, words in found) else YES),
        "a word that is joined to no other has no noise; how many are depends on τ, which the paper does not name here",
    )


CLAIMS = (
    Claim(
        "NADP is best in all four tasks at all ε",
        _ahead((NADP,), OTHERS, *TASKS),
        "in (a) and (d) it is ahead, as most of its words have no noise at all; on STS-B all others score what no "
        "noise scores, and NADP less, as in (c) at ε = 0.8: its few noisy words drown the others in an average",
    ),
    Claim(
        "Mahalanobis is second in (a), (c) and (d)",
        _ahead((MAHALANOBIS,), (GAUSSIAN, LAPLACIAN, JACCARD), WORDS, CLASSES, PUZZLES),
        "its ε is for a unit of distance, that of the others for the longest edge: it has far less noise and is second "
        "from ε = 20 on; below 10 noise is all there is, and all four are alike",
    ),
    Claim(
        "Mahalanobis is worst on STS-B",
        _ahead((NADP, GAUSSIAN, LAPLACIAN, JACCARD), (MAHALANOBIS,), SENTENCES),
        "NADP is the worst here, by its noise on some words only; Jaccard is below Mahalanobis too",
    ),
    Claim(
        f"Jaccard and Gaussian are alike (within {ALIKE:g} of the score)",
        _alike,
        "two sizes of nearly the same noise; the authors' code has one",
    ),
    Claim(
        "for large ε (20 and more) Gaussian is ahead of Laplacian in (a), (c) and (d)",
        _ahead((GAUSSIAN,), (LAPLACIAN,), WORDS, CLASSES, PUZZLES, low=20.0),
        "noise of each coordinate is for l1 distances, which are longer; but in (d) both are still near chance",
    ),
    Claim(
        "NADP has the least skewness, so it protects best",
        _least_skewed,
        "with τ = 0.1 Mahalanobis is less skewed from ε = 20 on; and skewness is no measure of privacy: it is 0 where "
        "every word is released as it is",
    ),
    Claim(
        "skewness slightly increases with τ",
        _grows_with_threshold,
        "it falls: a larger τ leaves more words without noise, whose overlap is 1: the tail turns from right to left",
    ),
    Claim(
        "for ε < 5 NADP is the only one with near-zero skewness (its distance from 0 is less than that of the others)",
        _near_zero,
        "with the others nearly all overlaps are 0, and the few that are not make it large; but the paper says that "
        "little skewness protects, and here it comes of words without noise",
    ),
    Claim(
        "NADP guarantees more privacy (here: an attacker finds fewer words than with Gaussian noise)",
        _recovered,
        "words without noise are found",
    ),
    Claim(
        "skewness grows with Gaussian noise from a deviation of 0.1 on",
        _grows,
        "fewer and fewer words keep their neighbours; single runs have no interval by which to judge a step back",
    ),
    Claim(
        "(ours) the variant word is ahead of Gaussian at the same loss for the longest edge",
        _ahead((OURS,), (GAUSSIAN,), *TASKS),
        "up to ε = 10 neither tells anything in (a) and (d); at 40 the word that is drawn is nearly always the right "
        "one, and ours scores what no noise scores, which on STS-B is less than what Gaussian noise does",
    ),
)
