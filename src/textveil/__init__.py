"""Release text and text embeddings under differential privacy, with guarantees that are true.

What is public goes into a constructor; what is private enters only through `release`. Every mechanism
carries the guarantee that it really has: print(mechanism.guarantee).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textveil.errors import (
        CertificateError,
        InvalidInputError,
        MissingDependencyError,
        NotPrivateWarning,
        TextveilError,
    )
    from textveil.guarantees import Guarantee, Pairs, Relation, Status, Unit
    from textveil.measure.calibration import calibrate
    from textveil.mechanisms.exponential import Exponential
    from textveil.mechanisms.laplace import Laplace
    from textveil.mechanisms.mechanism import Mechanism, from_spec
    from textveil.mechanisms.nearest_word import NearestWord
    from textveil.randomness import RandomSource
    from textveil.receipts import Receipt, Release
    from textveil.text import TextRewriter
    from textveil.vocabulary import Vocabulary

# Names are imported when they are first used, so that `textveil --help` does not load the mathematics.
_HOMES = {
    "CertificateError": "errors",
    "Exponential": "mechanisms.exponential",
    "Guarantee": "guarantees",
    "InvalidInputError": "errors",
    "Laplace": "mechanisms.laplace",
    "Mechanism": "mechanisms.mechanism",
    "MissingDependencyError": "errors",
    "NearestWord": "mechanisms.nearest_word",
    "NotPrivateWarning": "errors",
    "Pairs": "guarantees",
    "RandomSource": "randomness",
    "Receipt": "receipts",
    "Relation": "guarantees",
    "Release": "receipts",
    "Status": "guarantees",
    "TextRewriter": "text",
    "TextveilError": "errors",
    "Unit": "guarantees",
    "Vocabulary": "vocabulary",
    "calibrate": "measure.calibration",
    "from_spec": "mechanisms",
}

__all__ = [
    "CertificateError",
    "Exponential",
    "Guarantee",
    "InvalidInputError",
    "Laplace",
    "Mechanism",
    "MissingDependencyError",
    "NearestWord",
    "NotPrivateWarning",
    "Pairs",
    "RandomSource",
    "Receipt",
    "Relation",
    "Release",
    "Status",
    "TextRewriter",
    "TextveilError",
    "Unit",
    "Vocabulary",
    "calibrate",
    "from_spec",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"textveil has no {name!r}")
    value: object = getattr(import_module(f"textveil.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
