"""The guessing game: its bound is attained, and a correct mechanism is accused no oftener than stated."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

from textveil.auditing.report import Verdict
from textveil.auditing.surroundings.chances import at_least, at_most
from textveil.auditing.surroundings.comparing import Counts
from textveil.auditing.surroundings.guessing import Game, finding_of
from textveil.auditing.surroundings.subject import Promised


def game(wins, plays, inputs, loss, delta=0.0, guesses=1):
    return Game(
        wins=wins,
        plays=plays,
        choices=math.log(inputs),
        promised=Promised(loss, delta),
        pair=(0, 1),
        event="",
        guesses=guesses,
    )


@pytest.mark.parametrize(("inputs", "loss"), [(2, 1.0), (10, 0.5), (10, 2.0), (100, 5.0)])
def test_the_best_private_guesser_is_accused_as_rarely_as_stated(inputs, loss):
    """Randomised response is right exactly as often as the bound allows; with 1.3 nats more it is caught."""
    plays, alpha = 2000, 1e-6
    wins = np.arange(plays + 1)
    accused = wins[[game(w, plays, inputs, loss).least_loss(alpha) > loss for w in wins.tolist()]]
    assert alpha / 100 < binom.pmf(accused, plays, response(inputs, loss)).sum() <= alpha
    assert binom.pmf(accused, plays, response(inputs, loss + 1.3)).sum() > 0.999


def response(inputs, loss):
    """The chance that randomised response at this loss returns its input."""
    return math.exp(loss) / (math.exp(loss) + inputs - 1)


@pytest.mark.parametrize("guesses", [1, 2])
def test_no_guesser_of_a_private_law_beats_the_bound(guesses):
    rng = np.random.default_rng(0)
    for _ in range(200):
        inputs, outputs = rng.integers(2, 6), rng.integers(2, 5)
        rows = rng.dirichlet(np.ones(outputs), size=inputs)
        loss = np.log(rows[:, None] / rows[None]).max()
        best = max(
            np.mean([rows[i] @ [i in guess for guess in strategy] for i in range(inputs)])
            for strategy in itertools.islice(
                itertools.product(itertools.combinations(range(inputs), min(guesses, inputs - 1)), repeat=outputs), 300
            )
        )
        assert best <= guesses * response(inputs, loss) + 1e-12


def test_delta_is_left_to_escape():
    """A mechanism that publishes its input with chance delta, and is silent otherwise, keeps (0, delta)."""
    plays, delta, alpha = 300, 0.1, 1e-3
    accused = [wins for wins in range(plays + 1) if game(wins, plays, 10**9, 0.0, delta).least_loss(alpha) > 0]
    assert 0 < binom.pmf(accused, plays, delta).sum() <= alpha


def test_a_handful_of_right_guesses_among_very_many_shows_a_large_loss():
    assert game(12, 12, 2**128, 0.0).least_loss(1e-6) > 80
    assert game(0, 12, 2**128, 0.0).least_loss(1e-6) == 0


def test_the_chances_of_several_games_add_up_to_alpha():
    games = [game(9, 12, 40, 3.0), game(3, 12, 40, 3.0)]
    found = finding_of("x", games, 1e-3, accusation="yes", otherwise="no")
    assert found.bound == games[0].least_loss(5e-4)
    assert found.verdict is (Verdict.VIOLATED if found.bound > 3 else Verdict.NOT_CERTIFIABLE)


def test_what_has_no_known_distance_is_not_accused():
    found = finding_of("x", [game(12, 12, 2**64, math.nan, math.nan)], 1e-3, accusation="yes", otherwise="no")
    assert found.verdict is Verdict.NOT_CERTIFIABLE
    assert "distance=" in found.explanation


@pytest.mark.parametrize("chance", [0.0, 0.01, 0.3, 0.5, 0.99, 1.0])
def test_bounds_of_a_chance_fail_as_rarely_as_stated(chance):
    trials, alpha = 60, 0.01
    wins = np.arange(trials + 1)
    weights = binom.pmf(wins, trials, chance)
    assert weights[[at_least(w, trials, alpha) > chance for w in wins.tolist()]].sum() <= alpha
    assert weights[[at_most(w, trials, alpha) < chance for w in wins.tolist()]].sum() <= alpha


@pytest.mark.parametrize(("q", "loss", "delta"), [(0.1, 1.0, 0.0), (0.02, 3.0, 0.0), (0.2, 0.5, 0.1)])
def test_two_inputs_that_keep_their_promise_are_accused_as_rarely_as_stated(q, loss, delta):
    trials, alpha = 80, 0.01
    p = math.exp(loss) * q + delta
    accused = sum(
        binom.pmf(ours, trials, p) * binom.pmf(theirs, trials, q)
        for ours in range(trials + 1)
        for theirs in range(trials + 1)
        if Counts(ours, theirs, trials).least_loss(delta, alpha) > loss
    )
    assert accused <= alpha
