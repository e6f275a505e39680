"""What vectors are worth: macro F1 as everybody computes it, and a classifier that does not care for the scale."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import f1_score

from textveil.reproduce.sentdp.classify import Classifier, macro_f1, rank_correlation, shown, spread


def test_macro_f1_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    truth, found = rng.integers(4, size=(2, 200))
    assert macro_f1(found, truth) == pytest.approx(f1_score(truth, found, average="macro"))
    assert macro_f1(truth, truth) == 1
    assert macro_f1(np.zeros(4, dtype=int), np.array([0, 0, 1, 1])) == pytest.approx(1 / 3)


def test_a_classifier_learns_the_same_at_any_scale():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=300)
    vectors = np.eye(3)[labels] + 0.2 * rng.normal(size=(300, 3))
    small, large = Classifier(vectors, labels), Classifier(1000 * vectors, labels)
    assert (small(vectors) == large(1000 * vectors)).all()
    assert small.accuracy(vectors, labels) > 0.95
    assert small.macro_f1(vectors, labels) > 0.95


def test_rank_correlation_is_that_of_scipy_with_ties_too():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=100), rng.integers(5, size=100).astype(float)
    assert rank_correlation(first, second) == pytest.approx(spearmanr(first, second).statistic, abs=1e-12)
    assert rank_correlation(first, np.exp(first)) == pytest.approx(1)


def test_one_run_has_no_deviation():
    assert spread([0.5]) == {"mean": 0.5, "deviation": None}
    assert shown(spread([0.5])) == "0.500"
    assert shown(spread([0.4, 0.6])) == "0.500 ± 0.141"
