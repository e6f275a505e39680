"""The certificates that come with the package are those of the default vocabulary, and true."""

from __future__ import annotations

import numpy as np
import pytest

import textveil as tv
from textveil.mechanisms.exponential.shipped import _shipped, certified_points, curve_for, radius_for


@pytest.fixture(scope="module")
def default():
    return tv.Vocabulary.default()


def test_the_default_vocabulary_has_laws_at_once(default, monkeypatch):
    monkeypatch.setattr("textveil.mechanisms.exponential.exponential.calibrate", None)
    for epsilon in (0.5, 1.0, 2.5, 4.0):
        law = tv.Exponential(default, epsilon=epsilon, radius="auto").law
        assert law.certified
        assert 0.98 * epsilon <= law.loss <= epsilon


def test_a_share_is_found_at_once(default, monkeypatch):
    monkeypatch.setattr("textveil.mechanisms.exponential.exponential.law_keeping", None)
    made = tv.calibrate(lambda eps: tv.Exponential(default, epsilon=eps, radius="auto"), at_most=0.3, start=2.0)
    assert 0.28 < made.law.kept <= 0.3
    least = tv.calibrate(lambda eps: tv.Exponential(default, epsilon=eps, radius="auto"), at_least=0.3, start=2.0)
    assert 0.3 <= least.law.kept < 0.32


def test_losses_and_shares_grow_with_the_rate():
    curve = _shipped()
    assert (np.diff(curve.rates) > 0).all()
    assert (np.diff(curve.losses) > 0).all()
    assert (np.diff(curve.kept) > 0).all()
    assert (curve.losses >= curve.rates).all()
    assert (curve.losses <= 2 * curve.rates).all()
    assert (curve.losses[1:] <= curve.losses[:-1] / 0.98).all()


def test_another_vocabulary_or_radius_has_none(default):
    assert curve_for(default.digest, 1.0) is None
    assert curve_for("0" * 64, _shipped().radius) is None
    assert radius_for(default) == _shipped().radius
    assert radius_for(default.subset(500)) != _shipped().radius


def test_a_shipped_law_is_made_again_from_its_spec(default):
    made = tv.Exponential(default, epsilon=2.0, radius="auto")
    assert tv.from_spec(made.spec(), objects={"vocabulary": default}).spec() == made.spec()


@pytest.mark.soak
def test_points_computed_anew_are_the_same(default):
    curve = _shipped()
    places = np.array([40, 300, 459])
    for place in places:
        losses, kept = certified_points(default, curve.rates[place : place + 1], curve.radius)
        assert losses[0] == pytest.approx(curve.losses[place], rel=1e-10)
        assert kept[0] == pytest.approx(curve.kept[place], rel=1e-10)
