"""The results to read: tables, what the paper says beside what was measured, and the section of docs/results.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from textveil.reproduce.claims import Claim, claims_table, leads, told_leads
from textveil.reproduce.nadp.drawing import draw
from textveil.reproduce.nadp.mechanisms import GAUSSIAN, JACCARD, LAPLACIAN, MAHALANOBIS, NADP, OURS
from textveil.reproduce.nadp.neighbours import PAPER
from textveil.reproduce.nadp.utility import CLASSES, MEN, PUZZLES, SENTENCES, WORDS
from textveil.reproduce.pivots import Pivot, Records, chosen, mean_of, pivot, reproduction
from textveil.reproduce.repeats import told
from textveil.reproduce.reproduction import Reproduction

CLEAN, SHUFFLED = "no noise", "no noise, shuffled answers"
TASKS = (WORDS, SENTENCES, CLASSES, PUZZLES)
# Released by the authors with their code: MEN at epsilon .8, and the share of puzzles solved at 40 (of 1,173, many of
# them twice, a quarter of them with unknown words). The paper's figures have no numbers.
AUTHORS_MEN = {NADP: 0.357, GAUSSIAN: -0.021, LAPLACIAN: -0.003, MAHALANOBIS: 0.007, JACCARD: -0.019}
AUTHORS_PUZZLES = {NADP: 0.341, GAUSSIAN: 0.198, LAPLACIAN: 0.130, MAHALANOBIS: 0.314, JACCARD: 0.199}
_ANSWERED = 1 - 0.242

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
Numbers are means over runs with 95% intervals, all from public keys. Finished cells are kept in the cache. Here: {runs}
runs for Figure 2, with {rows:,} texts of each set of reviews; {skewed_runs} for Figure 3, with {sampled:,} words. Noise
is drawn anew for each mechanism, ε, τ and run; folds are the same in all.

![Four tasks, skewness and recovered words against epsilon; overlaps with Gaussian noise](pictures/nadp.png)
"""


def reported(
    records: Records, about: Mapping[str, Any], neighbours: Sequence[dict[str, str]], plan: Mapping[str, Any]
) -> Reproduction:
    """Return everything to read, of the records of `paper`, what is known of the words, and Table 1."""
    tables = [
        *_tables(records),
        _bare(about),
        _nearest(neighbours),
        claims_table("What the paper says, and what was measured", CLAIMS, records),
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


def _tables(records: Records) -> list[Pivot]:
    utility, privacy = (chosen(records, part=f"Figure {number}") for number in (2, 3))
    titles = {
        WORDS: "Figure 2 (a), Spearman's correlation on MEN, SimLex and SimVerb together",
        SENTENCES: "Figure 2 (b), STS-B",
        CLASSES: "Figure 2 (c), mean accuracy on MR, CR and MPQA",
        PUZZLES: "Figure 2 (d), odd man out",
    }
    tables = [pivot(title, chosen(utility, measure=measure)) for measure, title in titles.items()]
    tables.append(_beside_authors(utility))
    tables += [
        pivot("Figure 3, skewness of the overlap of neighbours", chosen(privacy, measure="skewness")),
        pivot("Words that are nearest to their release: an attacker finds them", chosen(privacy, measure="recovered")),
    ]
    noise = [
        {**one, "mechanism": f"deviation {one['epsilon']:g}"}
        for one in chosen(records, part="Figure 4")
        if one["measure"] in ("skewness", "recovered")
    ]
    return [*tables, pivot("Figure 4, by the deviation of Gaussian noise", noise, column="measure")]


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


def _ahead(ahead: str, behind: Sequence[str], *measures: str, low: float = 0.0) -> Any:
    def compared(records: Records) -> tuple[str, bool]:
        some = [one for one in chosen(records, part="Figure 2") if (one["epsilon"] or 0.0) >= low]
        found = [lead for name in behind for lead in leads(some, _is(ahead, *measures), _is(name, *measures))]
        return told_leads(found), min(found) > 0

    return compared


def _alike(records: Records) -> tuple[str, bool]:
    found = leads(chosen(records, part="Figure 2"), _is(JACCARD, *TASKS), _is(GAUSSIAN, *TASKS))
    return f"differ by {max(map(abs, found)):.3f} at most", max(map(abs, found)) < 0.05


def _least_skewed(records: Records) -> tuple[str, bool]:
    some = chosen(records, part="Figure 3", measure="skewness")
    others = (GAUSSIAN, LAPLACIAN, MAHALANOBIS, JACCARD)
    found = [lead for name in others for lead in leads(some, _is(name, "skewness"), _is(NADP, "skewness"))]
    return f"less skewed by {told_leads(found, 2)}", min(found) > 0


def _recovered(records: Records) -> tuple[str, bool]:
    some = chosen(records, part="Figure 3", measure="recovered")
    least = min(one["epsilon"] for one in some)
    nadp, gaussian = (
        [one["mean"] for one in some if one["mechanism"].startswith(name) and one["epsilon"] == least]
        for name in (NADP, GAUSSIAN)
    )
    found = f"at ε = {least:g} an attacker finds {min(nadp):.1%} to {max(nadp):.1%} of the words"
    return f"{found}; with Gaussian noise {gaussian[0]:.1%}", max(nadp) <= gaussian[0]


def _grows(records: Records) -> tuple[str, bool]:
    own = chosen(records, part="Figure 4", measure="skewness")
    values = [one["mean"] for one in own if one["epsilon"] >= 0.1]
    zero = mean_of(records, part="Figure 4", measure="skewness", epsilon=own[0]["epsilon"])
    return f"{zero:.2f} without noise, {values[0]:.2f} to {values[-1]:.2f} after", values == sorted(values)


CLAIMS = (
    Claim(
        "NADP is best in all four tasks at all ε",
        _ahead(NADP, (GAUSSIAN, LAPLACIAN, MAHALANOBIS, JACCARD), *TASKS),
        "most of its words have no noise at all",
    ),
    Claim(
        "Mahalanobis is second in (a), (c) and (d)",
        _ahead(MAHALANOBIS, (GAUSSIAN, LAPLACIAN, JACCARD), WORDS, CLASSES, PUZZLES),
        "its ε is for a unit of distance, that of the others for the longest edge: it has far less noise",
    ),
    Claim("Jaccard and Gaussian are alike", _alike, "two sizes of nearly the same noise; the authors' code has one"),
    Claim(
        "for large ε (20 and more) Gaussian is ahead of Laplacian in (a), (c) and (d)",
        _ahead(GAUSSIAN, (LAPLACIAN,), WORDS, CLASSES, PUZZLES, low=20.0),
        "noise of each coordinate is for l1 distances, which are longer",
    ),
    Claim(
        "NADP has the least skewness, so it protects best",
        _least_skewed,
        "skewness is no measure of privacy: it is 0 where every word is released as it is",
    ),
    Claim("NADP guarantees more privacy (in the sense of an attacker)", _recovered, "words without noise are found"),
    Claim(
        "skewness grows with Gaussian noise from a deviation of 0.1 on",
        _grows,
        "fewer and fewer words keep their neighbours",
    ),
    Claim(
        "(ours) the variant word is ahead of Gaussian at the same loss for the longest edge",
        _ahead(OURS, (GAUSSIAN,), *TASKS),
        "a word is drawn instead of noise in 300 dimensions",
    ),
)
