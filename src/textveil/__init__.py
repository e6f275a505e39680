"""Release text and text embeddings under differential privacy, with guarantees that are true.

What is public goes into a constructor; what is private enters only through `release`. Every mechanism
carries the guarantee that it really has: print(mechanism.guarantee).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textveil.encoders import AveragedWords, TextEmbedder
    from textveil.errors import (
        CertificateError,
        InvalidInputError,
        MissingDependencyError,
        NotPrivateWarning,
        TextveilError,
    )
    from textveil.guarantees import Guarantee, Pairs, Relation, Status, Unit
    from textveil.measure.calibration import calibrate
    from textveil.mechanisms.coordinate_laplace import CoordinateLaplace
    from textveil.mechanisms.exponential import Exponential
    from textveil.mechanisms.gaussian import Gaussian
    from textveil.mechanisms.hyperbolic import HyperbolicLaplace
    from textveil.mechanisms.jaccard import Jaccard
    from textveil.mechanisms.laplace import Laplace
    from textveil.mechanisms.mahalanobis import Mahalanobis
    from textveil.mechanisms.mechanism import Mechanism, from_spec
    from textveil.mechanisms.nadp import Nadp
    from textveil.mechanisms.nearest_word import NearestWord
    from textveil.mechanisms.privemb import PrivEmb
    from textveil.mechanisms.privunit import PrivUnit
    from textveil.mechanisms.word_vector import WordVector
    from textveil.randomness import RandomSource
    from textveil.receipts import Receipt, Release
    from textveil.text import TextRewriter
    from textveil.vocabulary import Vocabulary

# Names are imported when they are first used, so that `textveil --help` does not load the mathematics.
_HOMES = {
    "AveragedWords": "encoders",
    "CertificateError": "errors",
    "CoordinateLaplace": "mechanisms.coordinate_laplace",
    "Exponential": "mechanisms.exponential",
    "Gaussian": "mechanisms.gaussian",
    "Guarantee": "guarantees",
    "HyperbolicLaplace": "mechanisms.hyperbolic",
    "InvalidInputError": "errors",
    "Jaccard": "mechanisms.jaccard",
    "Laplace": "mechanisms.laplace",
    "Mahalanobis": "mechanisms.mahalanobis",
    "Mechanism": "mechanisms.mechanism",
    "MissingDependencyError": "errors",
    "Nadp": "mechanisms.nadp",
    "NearestWord": "mechanisms.nearest_word",
    "NotPrivateWarning": "errors",
    "Pairs": "guarantees",
    "PrivEmb": "mechanisms.privemb",
    "PrivUnit": "mechanisms.privunit",
    "RandomSource": "randomness",
    "Receipt": "receipts",
    "Relation": "guarantees",
    "Release": "receipts",
    "Status": "guarantees",
    "TextEmbedder": "encoders",
    "TextRewriter": "text",
    "TextveilError": "errors",
    "Unit": "guarantees",
    "Vocabulary": "vocabulary",
    "WordVector": "mechanisms.word_vector",
    "calibrate": "measure.calibration",
    "from_spec": "mechanisms",
}

__all__ = [
    "AveragedWords",
    "CertificateError",
    "CoordinateLaplace",
    "Exponential",
    "Gaussian",
    "Guarantee",
    "HyperbolicLaplace",
    "InvalidInputError",
    "Jaccard",
    "Laplace",
    "Mahalanobis",
    "Mechanism",
    "MissingDependencyError",
    "Nadp",
    "NearestWord",
    "NotPrivateWarning",
    "Pairs",
    "PrivEmb",
    "PrivUnit",
    "RandomSource",
    "Receipt",
    "Relation",
    "Release",
    "Status",
    "TextEmbedder",
    "TextRewriter",
    "TextveilError",
    "Unit",
    "Vocabulary",
    "WordVector",
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
