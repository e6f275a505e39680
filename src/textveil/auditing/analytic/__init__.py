"""Analytic audits: the loss follows from the parameters that the sampler uses, by a theorem about the law it draws.

One file a family of laws; importing this package registers them all. A law that none of them knows but that has a
`log_density` is searched for a violation, which certifies nothing.
"""

from textveil.auditing.analytic import additive, documents, hyperbolic, neighbourhoods, projections, sphere, words
from textveil.auditing.analytic.dispatch import analytic_finding

__all__ = [
    "additive",
    "analytic_finding",
    "documents",
    "hyperbolic",
    "neighbourhoods",
    "projections",
    "sphere",
    "words",
]
