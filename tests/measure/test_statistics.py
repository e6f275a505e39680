"""Statistics of word mechanisms: definitions by brute force, runs against the law, intervals that cover."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import textveil as tv
from textveil.measure.statistics.picture import draw
from textveil.measure.statistics.sampled import clopper_pearson

RUNS = 50


class Sampled(tv.NearestWord):
    """A known law that may only be sampled: what a black box would show."""

    def __init__(self, mechanism):
        object.__setattr__(self, "vocabulary", mechanism.vocabulary)
        object.__setattr__(self, "_inner", mechanism)

    @property
    def guarantee(self):
        return self._inner.guarantee

    def spec(self):
        return self._inner.spec()

    def _sample(self, items, streams):
        return self._inner._sample(items, streams)


def test_every_statistic_is_that_of_its_definition(tree):
    mechanism = tv.Exponential(tree, epsilon=1.5)
    law, ids = mechanism.transition_matrix(), np.arange(0, len(tree), 3)
    measured = tv.statistics(mechanism, [tree.words[i] for i in ids], runs=RUNS, factor=2.5)
    assert measured.exact
    reached = (1 - (1 - law) ** RUNS).sum(axis=0)
    for place, w in enumerate(ids):
        row = law[w]
        outputs = np.flatnonzero(row >= 1 / RUNS)
        ratios = row[outputs] / law[:, outputs]
        expected = {
            "unchanged": row[w],
            "distinct": (1 - (1 - row) ** RUNS).sum(),
            "hartley": np.log2((row > 0).sum()),
            "min_entropy": -np.log2(row.max()),
            "effective": 2 ** -(row * np.log2(row)).sum(),
            "collision": 1 / (row**2).sum(),
            "inputs": reached[outputs].min(),
            "plausible": ((ratios <= 2.5) & (ratios >= 1 / 2.5)).sum(axis=0).min(),
        }
        for name, value in expected.items():
            assert measured[name][place] == pytest.approx(value, rel=1e-9), name


def test_the_min_entropy_is_not_minus_log_n_where_a_word_is_not_its_own_mode(clustered):
    """The paper equates the two; the tight law has words that another replaces more often than they stay."""
    measured = tv.statistics(tv.Exponential(clustered, epsilon=0.4, weights="tight"))
    bits = -np.log2(np.maximum(measured["unchanged"], 1e-300))
    assert (measured["min_entropy"] <= bits + 1e-9).all()
    assert (measured["min_entropy"] < bits - 0.1).any()


def test_the_guarantee_promises_no_more_deniability_than_there_is(tree, clustered):
    for mechanism in (tv.Exponential(tree, epsilon=0.5), tv.Exponential(clustered, epsilon=0.6)):
        measured = tv.statistics(mechanism, factor=3.0)
        assert (measured["promised"] <= measured["plausible"]).all()
        assert measured["promised"].max() > 1
        matrix = mechanism.vocabulary.space.distances(*[mechanism.vocabulary.block(0, 10_000)] * 2)
        ids = mechanism.vocabulary.ids(measured.words)
        assert np.array_equal(measured["promised"], (matrix[ids] <= np.log(3) / mechanism.epsilon).sum(axis=1))


def test_runs_agree_with_the_law(tree):
    """Each interval is wrong with chance 1e-8; the power check has 1.3 times the epsilon."""
    words = list(tree.words[::4])
    exact = tv.statistics(tv.Exponential(tree, epsilon=1.5), words, runs=4000)
    for epsilon, agrees in ((1.5, True), (1.95, False)):
        mechanism = Sampled(tv.Exponential(tree, epsilon=epsilon))
        runs = tv.statistics(mechanism, words, runs=4000, confidence=1 - 1e-8, source=tv.RandomSource.seeded(5))
        assert not runs.exact
        inside = [
            (runs[name + "_low"] <= exact[name] + 1e-9) & (exact[name] <= runs[name + "_high"] + 1e-9)
            for name in ("unchanged", "distinct", "min_entropy")
        ]
        assert np.all(inside) == agrees


def test_runs_are_counted_as_the_paper_counts_them(tree):
    mechanism = tv.NearestWord(tree, tv.HyperbolicLaplace(epsilon=3.0, dimension=2))
    words = [*tree.words[:20], tree.words[3]]
    measured = tv.statistics(mechanism, words, runs=200, source=tv.RandomSource.seeded(1))
    ids = np.repeat(tree.ids(words)[:, None], 200, axis=1)
    outputs = mechanism.release_ids(ids, source=tv.RandomSource.seeded(1))
    seen = [set(row.tolist()) for row in outputs]
    assert measured["distinct"].tolist() == [len(one) for one in seen]
    assert np.allclose(measured["unchanged"], (outputs == ids).mean(axis=1))
    assert measured["inputs"].tolist() == [min(sum(y in other for other in seen[:20]) for y in one) for one in seen]
    assert measured.attack.success is None
    assert "plausible" not in measured.columns
    assert "promised" in measured.columns


def test_intervals_are_those_of_clopper_and_pearson():
    low, high = clopper_pearson(np.array([0, 1, 30, 100]), 100, 0.05)
    for place, hits in enumerate((0, 1, 30, 100)):
        interval = stats.binomtest(hits, 100).proportion_ci(0.95)
        assert (low[place], high[place]) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_noise_with_a_delta_promises_no_deniability(clustered):
    mechanism = tv.NearestWord(clustered, tv.Laplace(epsilon=2.0, dimension=12))
    measured = tv.statistics(mechanism, clustered.words[:3], runs=20)
    assert mechanism.guarantee.slack > 0
    assert "promised" not in measured.columns
    assert measured.attack.bound is None


def test_it_prints_and_goes_into_a_frame_and_a_picture(tree):
    first, second = (tv.statistics(tv.Exponential(tree, epsilon=value)) for value in (1.0, 2.0))
    text = str(first)
    for part in ("epsilon = 1", "N_w", "S_w", "K_w", "min-entropy", "2^H1", "promised", "Attack"):
        assert part in text
    assert "<table>" in first._repr_html_()
    frame = first.to_pandas()
    assert list(frame.index) == list(first.words)
    assert np.array_equal(frame["unchanged"], first["unchanged"])
    figure = second.plot(first)
    assert len(figure.axes) == 4
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["1", "2"]
    drawn = draw((first, second), deniability=True)
    medians = [line.get_ydata()[0] for line in drawn.axes[5].lines if line.get_linewidth() == 2]
    assert len(drawn.axes) == 6
    assert "factor 2" in drawn.axes[4].get_title(loc="left")
    assert medians == [np.median(one["promised"]) for one in (first, second)]
    sampled = tv.statistics(Sampled(tv.Exponential(tree, epsilon=1.0)), tree.words[:4], runs=50)
    assert "from 50 runs" in str(sampled)
    assert "95%" in sampled._repr_html_()
    assert len(sampled.plot().axes) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"runs": 1}, "runs"),
        ({"factor": 1.0}, "factor"),
        ({"confidence": 1.0}, "confidence"),
        ({"words": []}, "at least one word"),
        ({"prior": np.ones(3)}, "prior"),
        ({"prior": np.full(85, -1.0)}, "prior"),
    ],
)
def test_questions_that_make_no_sense_are_refused(tree, options, message):
    with pytest.raises(tv.InvalidInputError, match=message):
        tv.statistics(tv.Exponential(tree, epsilon=1.0), **options)
    with pytest.raises(tv.InvalidInputError, match="releases words"):
        tv.statistics(tv.Laplace(epsilon=1.0, dimension=2))
