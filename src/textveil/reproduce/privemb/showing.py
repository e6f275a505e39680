"""The results to read: tables, what the paper says beside what was measured, and the section of docs/results.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from textveil.reproduce.claims import NO, UNDECIDED, YES, Claim, Compared, claims_table, judged, leads, steps
from textveil.reproduce.measuring import EVERYTHING
from textveil.reproduce.pivots import Pivot, Records, chosen, pivot, reproduction
from textveil.reproduce.privemb.drawing import draw
from textveil.reproduce.privemb.mechanisms import CLEAN, M1, M2, MAKERS, OURS
from textveil.reproduce.privemb.sentences import EACH, ONCE
from textveil.reproduce.repeats import told
from textveil.reproduce.reproduction import Reproduction

# Says whether a record is one of those compared.
Which = Callable[[dict[str, Any]], bool]
# The part that compares pairs of words.
PAIRS = "Figures 1 and 2"
# Table 1, accuracy in percent: M1 and M2 (epsilon 10, beta .9), train and test, and without noise InferSent and
# SkipThought.
PAPER = {
    "MR": (58.10, 55.61, 57.76, 58.11, 81.10, 79.40),
    "CR": (68.32, 63.97, 72.52, 71.02, 86.30, 83.10),
    "MPQA": (78.76, 77.98, 77.84, 78.86, 90.20, 89.30),
    "SST-5": (31.24, 31.90, 32.70, 32.49, 46.30, 44.80),
    "TREC-6": (60.54, 53.20, 62.53, 73.00, 88.20, 88.40),
}
# Not in the paper: a reference measurement on this table of what M1 with the nearest word leaves unchanged.
UNCHANGED = {10.0: 0.28, 15.0: 0.81, 20.0: 0.98}

# A published accuracy comes out within so many points.
NEAR = 3

_HOW = """\
## Paper 1: private vectors in fewer dimensions

`textveil reproduce privemb --data FOLDER` (`--quick` for a small part; FOLDER holds
`vectors/glove.6B.300d.80k_plus_tasks`, `cls/opinion_lexicon.tsv.gz`, `cls/imdb.tsv.xz` and the five sets of Table 1)
measures Figures 1 to 4 and Table 1 of Feyisetan and Kasiviswanathan (2021) on GloVe 6B. ε is for a unit of distance.
M1 is Laplace noise on the vector, in all 300 dimensions. M2 is PrivEmb as published: a random projection to fewer
dimensions, fewer for a larger β, then noise 1 + β times as large as M1 has in so many. *Ours* is PrivEmb with a
projection that was certified for the words of the task: as many dimensions as M2, no delta. A1 (Figure 4) is trained in
fewer dimensions from the start, then has the noise of M1. Figures 3 and 4 classify single words, as positive or
negative, by a linear support vector machine. Figures 5 to 7 are the same on fastText, which could not be had. Numbers
are means over runs with 95% intervals; noise and splits come from public keys, so they repeat. Noise is drawn anew for
each mechanism, ε and run (the control with shuffled labels has that of M1); in a run all mechanisms share the test
words, and M2 at all ε its projection (common random numbers). "Published" is what the paper prints. Finished cells are
kept in the cache.
Here: {runs} runs for Figures 1 to 3, {trained_runs} for Figure 4 (vectors trained on {texts:,} reviews),
{sentence_runs} for Table 1, {texts_a_set}.

![Errors of distances and inner products, and accuracy of released words, against epsilon](pictures/privemb.png)
"""


def reported(records: Records, true: Mapping[str, float], plan: Mapping[str, Any]) -> Reproduction:
    """Return everything to read, of the records of `paper` and how large true distances and inner products are."""
    claims = claims_table("What the paper says, and what was measured", CLAIMS, records)
    tables = [*_tables(records, true, plan), claims]
    texts = "all texts of each set" if plan["rows"] == EVERYTHING else f"{plan['rows']:,} texts of each set at most"
    how = _HOW.format(**plan, texts_a_set=texts)
    known = {"true": dict(true), "plan": dict(plan)}
    return reproduction("Feyisetan and Kasiviswanathan 2021", how, tables, records, draw, **known)


def _tables(records: Records, true: Mapping[str, float], plan: Mapping[str, Any]) -> list[Pivot]:
    pairs, words = (chosen(records, part=part) for part in (PAIRS, "Figure 3"))
    errors = {
        "distance": "Figure 1, mean error of a distance",
        "distance, mended": "The same once the known bias of the noise is taken off",
        "distance, correlation": "Correlation of released with true distances (not in the paper)",
        "inner product": "Figure 2, mean error of an inner product",
        "inner product, correlation": "Correlation of released with true inner products (not in the paper)",
    }
    scales = {
        "distance": f"For scale: true distances are {true['distance']:.1f} in the mean (deviation "
        f"{true['deviation of distances']:.1f}).",
        "inner product": f"For scale: true inner products are {true['inner product']:.1f} in the mean, without their "
        "signs.",
    }
    tables = [_unchanged(records)]
    for measure, title in errors.items():
        show = partial(told, digits=3 if "correlation" in measure else 1)
        tables.append(pivot(title, chosen(pairs, measure=measure), show=show, note=scales.get(measure, "")))
    tables += [
        pivot(f"Figure 3, {measure} of positive and negative words", chosen(words, measure=measure))
        for measure in ("accuracy", "AUC")
    ]
    return [*tables, *_fewer_dimensions(records, plan), table_1(records, "accuracy"), table_1(records, "dev")]


def _unchanged(records: Records) -> Pivot:
    """Return the shares of unchanged words, and what is expected of them."""
    found = chosen(records, part="unchanged")
    name = "a reference measurement on this table"
    known = [{**one, "mechanism": name, "mean": UNCHANGED[one["epsilon"]], "around": None} for one in found]
    note = "Not in the paper; a check of the noise, which should meet the reference within .03."
    return pivot("M1 and then the nearest word: share of words that stay", [*found, *known], note=note)


def _fewer_dimensions(records: Records, plan: Mapping[str, Any]) -> list[Pivot]:
    """Return Figure 4, a table for each number of dimensions."""
    betas = {f"{dimension} dimensions": beta for dimension, beta in plan["dimensions"]}
    note = (
        f"Positive and negative words, of those that the reviews have. M2 and ours project vectors of {plan['whole']} "
        "dimensions that were trained on the same reviews. As far apart: the vectors of A1 times a constant, so that "
        f"they are as far from each other, in the mean square, as those of {plan['whole']} dimensions; ε is for a unit "
        "of distance, so that the scale counts."
    )
    return [
        pivot(
            f"Figure 4, accuracy in {size} (M2 and ours: β = {betas[size]:g})",
            chosen(records, part="Figure 4", data=size, measure="accuracy"),
            note=note if number == 0 else "",
        )
        for number, size in enumerate(dict.fromkeys(one["data"] for one in chosen(records, part="Figure 4")))
    ]


def table_1(records: Records, measure: str) -> Pivot:
    """Return Table 1 in percent, the published accuracy beside ours.

    Parameters
    ----------
    records : of `paper`
    measure : "accuracy" on test rows, or "dev" on the rows by which classifiers were chosen: SentEval prints these two,
        and the paper's "train" is sometimes below its "test", as only the second can be
    """
    is_test = measure == "accuracy"
    rows = []
    for name, numbers in PAPER.items():
        own = {one["mechanism"]: one for one in chosen(records, part="Table 1", data=name, measure=measure)}
        if own:
            (shuffled,) = chosen(records, part="Table 1", data=f"{name}, shuffled labels", measure=measure)
            (commonest,) = chosen(records, part="Table 1", data=name, measure="chance")
            cells = {mechanism: [_percent(own[f"{mechanism}, {way}"]) for way in (ONCE, EACH)] for mechanism in MAKERS}
            first, second = numbers[int(is_test)], numbers[2 + int(is_test)]
            rows.append([name, f"{first:.1f}", *cells[M1], f"{second:.1f}", *cells[M2], *cells[OURS]])
            rows[-1] += [f"{number:.1f}" for number in numbers[4:]]
            rows[-1] += [_percent(one) for one in (own[CLEAN], shuffled, commonest)]
    header = ["", "published M1", "M1", "M1, each", "published M2", "M2", "M2, each", "ours", "ours, each"]
    header += ["published InferSent, no privacy", "published SkipThought, no privacy"]
    header += ["no privacy", "labels shuffled", "commonest"]
    explained = (
        "; one release a word, as in SentEval, or one for each occurrence; no privacy: averages of clean vectors; "
        "commonest: always the same answer"
    )
    kind = "test" if is_test else '"train" (on held-out rows of the training part)'
    return Pivot(f"Table 1, {kind} accuracy in percent, ε = 10, β = 0.9{explained if is_test else ''}", header, rows)


def _percent(found: Mapping[str, Any]) -> str:
    around = None if found["around"] is None else 100 * found["around"]
    return told({"mean": 100 * found["mean"], "around": around}, 1)


def _is(mechanism: str, part: str, *measures: str) -> Which:
    """Whether a record is of this mechanism, with any beta and no other change."""
    return lambda one: (
        one["part"] == part
        and (one["mechanism"] == mechanism or one["mechanism"].startswith(f"{mechanism}, β"))
        and one["measure"] in measures
        and one["epsilon"] is not None
    )


def _beta_of(record: Mapping[str, Any]) -> str:
    return str(record["mechanism"].partition(", ")[2])


def _lead_of(
    ahead: Which, behind: Which, digits: int = 1, *, percent: bool = True, before: str = "", **also: Any
) -> Compared:
    """Compare some records with others; see `leads`."""

    def compared(records: Records) -> tuple[str, str]:
        told_found, holds = judged(leads(records, ahead, behind, **also), digits, percent=percent)
        return before + told_found, holds

    return compared


def _less_error(measure: str) -> Compared:
    """Compare M1 with M2: how much smaller its error is."""
    m1, m2 = (_is(name, PAIRS, measure) for name in (M1, M2))
    return _lead_of(m1, m2, percent=False, before="M2 errs less by ")


def _ahead(ahead: str, behind: str, part: str, *measures: str, same_beta: bool = False) -> Compared:
    also: dict[str, Any] = {"also": _beta_of} if same_beta else {}
    return _lead_of(_is(ahead, part, *measures), _is(behind, part, *measures), **also)


def _in_table_1(mechanism: str, reading: str) -> Which:
    name = f"{mechanism}, {reading}"
    return lambda one: one["part"] == "Table 1" and one["mechanism"] == name and one["measure"] == "accuracy"


def _on_data_sets(ahead: str, behind: str, reading: str) -> Compared:
    return _lead_of(_in_table_1(ahead, reading), _in_table_1(behind, reading))


def _comes_out(mechanism: str, place: int) -> Compared:
    """Compare test accuracies with those of the paper, in points."""

    def compared(records: Records) -> tuple[str, str]:
        own = filter(_in_table_1(mechanism, ONCE), records)
        apart = {one["data"]: 100 * one["mean"] - PAPER[one["data"]][place] for one in own}
        told_apart = "; ".join(f"{name} {value:+.1f}" for name, value in apart.items())
        return told_apart, YES if max(map(abs, apart.values())) <= NEAR else NO

    return compared


def _better_with_beta(part: str, measure: str) -> Compared:
    """Compare M2 with each beta with M2 with the beta before."""
    is_error = part == PAIRS

    def compared(records: Records) -> tuple[str, str]:
        own = list(filter(_is(M2, part, measure), records))
        # An error should fall: from behind it grows.
        return judged(steps(own[::-1] if is_error else own), 1, percent=not is_error)

    return compared


CLAIMS = (
    Claim(
        "distances: M2 is closer to the true ones than M1, always",
        _less_error("distance"),
        "the error is the length of the noise, which grows with the dimension",
        YES,
    ),
    Claim(
        "inner products: the same",
        _less_error("inner product"),
        "their noise grows with (1 + β)² m^1.5 in m dimensions, which is for β = 0.5 what it is for M1",
        UNDECIDED,
    ),
    Claim(
        "distances: M2 errs less, the larger β is",
        _better_with_beta(PAIRS, "distance"),
        "a larger β leaves fewer dimensions",
        YES,
    ),
    Claim("inner products: the same", _better_with_beta(PAIRS, "inner product"), "as above", YES),
    Claim(
        "(not in the paper) M2's distances correlate more with the true ones",
        _lead_of(
            _is(M2, PAIRS, "distance, correlation"), _is(M1, PAIRS, "distance, correlation"), digits=3, percent=False
        ),
        "the length of the noise is no news to a reader of distances; what tells is their correlation with the true "
        "ones, which is near 0 at these ε with either mechanism",
        UNDECIDED,
    ),
    Claim(
        "words: M2 classifies better than M1 (Figure 3)",
        _ahead(M2, M1, "Figure 3", "accuracy", "AUC"),
        "fewer dimensions have less noise and less of the word: where ε is large a random projection loses more than "
        "it gains",
        NO,
    ),
    Claim(
        "words: M2 classifies better, the larger β is",
        _better_with_beta("Figure 3", "accuracy"),
        "as above",
        UNDECIDED,
    ),
    Claim(
        f"Table 1: M1 has the test accuracies published (here less those, all within {NEAR} points)",
        _comes_out(M1, 1),
        "its tokens, classifier, number of draws and even the reading of Table 1 are not given",
        NO,
    ),
    Claim(f"Table 1: M2 has those published (all within {NEAR} points)", _comes_out(M2, 3), "as above", NO),
    Claim(
        "sentences: M2 is ahead of M1 on all five sets (one release a word)",
        _on_data_sets(M2, M1, ONCE),
        "one release a word makes a table of random vectors, from which a classifier learns words by heart: the more "
        "dimensions the better",
        NO,
    ),
    Claim(
        "the same, one release an occurrence",
        _on_data_sets(M2, M1, EACH),
        "noise of its own for each occurrence can't be learnt by heart; the promise is made in this model",
        UNDECIDED,
    ),
    Claim(
        "trained in fewer dimensions (A1) is better than projected (M2)",
        _ahead("A1", M2, "Figure 4", "accuracy"),
        "M2 has 1 + β times the noise of A1 and loses what it drops; but few runs on few words leave wide intervals",
        UNDECIDED,
    ),
    Claim(
        "(ours) words: the certified projection is ahead of M2 with the same β (Figure 3)",
        _ahead(OURS, M2, "Figure 3", "accuracy", "AUC", same_beta=True),
        "directions of the table instead of random ones, and noise for what they were certified to stretch; where "
        "ε is small both are near chance",
        UNDECIDED,
    ),
    Claim(
        "(ours) the same in Figure 4", _ahead(OURS, M2, "Figure 4", "accuracy"), "wide intervals, as for A1", UNDECIDED
    ),
    Claim(
        "(ours) sentences: ahead of M1 on all five sets (one release a word)",
        _on_data_sets(OURS, M1, ONCE),
        "as for M2, fewer dimensions hold less to learn by heart",
        NO,
    ),
    Claim(
        "(ours) the same, one release an occurrence",
        _on_data_sets(OURS, M1, EACH),
        "less noise, better directions",
        YES,
    ),
)
