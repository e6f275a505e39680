"""The guessing game, by which most checks here accuse.

One of K inputs is drawn at random, and from the output alone g guesses are made which it was. Let every two of the
inputs be promised a loss of at most l, with mass delta escaping. Then whatever the guesses are, the chance p of being
right is at most (g e^l + delta (K - 1)) / (e^l + K - 1).

Proof. Let p_ji be the chance that input i is among the guesses when j went in. The promise says p_ii <= e^l p_ji +
delta for each j != i. Sum over both: (K - 1) sum p_ii <= e^l sum_j (g - p_jj) + delta K (K - 1), since the g guesses
made for j hit at most g inputs. Divide by K; p is the mean of p_ii. So l >= ln((p - delta)(K - 1) / (g - p)).

With many inputs (random strings, patterns of capitals) a handful of right guesses shows a loss of dozens of nats:
unlike in a comparison of two inputs, the number of samples does not grow with the loss.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from textveil.auditing.report import Finding, Method, Verdict, Witness
from textveil.auditing.surroundings.chances import at_least
from textveil.auditing.units import Promised


@dataclass(frozen=True, kw_only=True)
class Game:
    """How a game went.

    Parameters
    ----------
    wins, plays : how often a guess was right, and how often it was tried
    choices : ln K, of how many inputs one was drawn
    promised : what holds between every two of them
    pair : two of the inputs, for the witness
    event : what the guess was made from, in words
    guesses : how many were made from one output
    """

    wins: int
    plays: int
    choices: float
    promised: Promised
    pair: tuple[object, object]
    event: str
    guesses: int = 1

    def least_loss(self, alpha: float) -> float:
        """Return a loss that the true one is not below, but for a chance of alpha of being wrong."""
        chance = at_least(self.wins, self.plays, alpha)
        excess = chance - self.promised.delta
        if not excess > 0:
            return 0.0
        others = self.choices + math.log1p(-math.exp(-self.choices))
        return max(0.0, math.log(excess) + others - math.log(self.guesses - chance))


def finding_of(name: str, games: list[Game], alpha: float, *, accusation: str, otherwise: str) -> Finding:
    """Return what the game that shows most says, each of them having its share of alpha.

    Parameters
    ----------
    name : what was looked at
    games : at least one
    alpha : the chance that a correct mechanism is accused
    accusation, otherwise : what to tell the reader in either case
    """
    share = alpha / len(games)
    game = max(games, key=lambda one: one.least_loss(share) - one.promised.at_most)
    return accused_if(
        game.least_loss(share),
        game.promised,
        name=name,
        alpha=alpha,
        samples=game.plays,
        pair=game.pair,
        event=game.event,
        accusation=accusation,
        otherwise=otherwise,
    )


def accused_if(
    loss: float,
    promised: Promised,
    *,
    name: str,
    alpha: float,
    samples: int,
    pair: tuple[object, object],
    event: str,
    accusation: str,
    otherwise: str,
) -> Finding:
    """Return a finding that accuses if the loss shown is above the one promised."""
    violated = loss > promised.loss
    unknown = " The distance of these inputs is not known: give distance=." if math.isnan(promised.loss) else ""
    return Finding(
        name=name,
        method=Method.CHECK,
        verdict=Verdict.VIOLATED if violated else Verdict.NOT_CERTIFIABLE,
        explanation=accusation if violated else otherwise + unknown,
        bound=loss,
        witness=Witness(pair=pair, event=event, loss=loss, claimed=promised.loss) if violated else None,
        samples=samples,
        alpha=alpha,
    )
