"""What attackers find out: at best where the law is known, and by attacks that are carried out where it is not."""

from textveil.measure.attacks.bayes import Attack, best_attack, bound_of, is_pointwise, losses_at
from textveil.measure.attacks.guessing import Guesses, adaptive_attack, static_attack
from textveil.measure.attacks.inversion import Inversion, invert
from textveil.measure.attacks.membership import Membership, membership_attack
from textveil.measure.attacks.pairs import pair_attack, pair_bound
from textveil.measure.attacks.recovery import recovered_chances

__all__ = [
    "Attack",
    "Guesses",
    "Inversion",
    "Membership",
    "adaptive_attack",
    "best_attack",
    "bound_of",
    "invert",
    "is_pointwise",
    "losses_at",
    "membership_attack",
    "pair_attack",
    "pair_bound",
    "recovered_chances",
    "static_attack",
]
