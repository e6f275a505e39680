"""Release text and text embeddings under differential privacy, with guarantees that are true.

What is public goes into a constructor; what is private enters only through `release`. Every mechanism
carries the guarantee that it really has: print(mechanism.guarantee).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textveil.auditing import AuditReport, Verdict, audit
    from textveil.encoders import (
        AveragedWords,
        DocumentEmbedder,
        FunctionEncoder,
        MiniLM,
        Recoded,
        Recoder,
        RewrittenWords,
        SentenceMeans,
        SentenceTransformersEncoder,
        TextEmbedder,
        public_vectors,
    )
    from textveil.encoders.public_sentences import default_candidates
    from textveil.errors import (
        CertificateError,
        InvalidInputError,
        MissingDependencyError,
        NotPrivateWarning,
        TextveilError,
    )
    from textveil.guarantees import Guarantee, Pairs, Relation, Status, Unit
    from textveil.learn.autoencoder import AutoEncoder
    from textveil.ledger import Ledger
    from textveil.measure.calibration import calibrate
    from textveil.measure.statistics import statistics
    from textveil.mechanisms.adept import Adept
    from textveil.mechanisms.candidates import Candidates, Chosen
    from textveil.mechanisms.clipped_laplace import ClippedLaplace
    from textveil.mechanisms.coordinate_laplace import CoordinateLaplace
    from textveil.mechanisms.deep_candidate import DeepCandidate
    from textveil.mechanisms.document_means import AveragedPrivUnit, GaussianMean, TruncatedMean
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
    from textveil.mechanisms.public_response import PublicResponse
    from textveil.mechanisms.sentence_responses import Answers, SentenceResponses
    from textveil.mechanisms.word_vector import WordVector
    from textveil.randomness import RandomSource
    from textveil.receipts import Receipt, Release
    from textveil.text import TextRewriter, check_apart, sentences_in
    from textveil.vocabulary import Vocabulary

# Names are imported when they are first used, so that `textveil --help` does not load the mathematics.
_HOMES = {
    "Adept": "mechanisms.adept",
    "Answers": "mechanisms.sentence_responses",
    "AuditReport": "auditing",
    "AutoEncoder": "learn.autoencoder",
    "AveragedPrivUnit": "mechanisms.document_means",
    "AveragedWords": "encoders",
    "Candidates": "mechanisms.candidates",
    "CertificateError": "errors",
    "Chosen": "mechanisms.candidates",
    "ClippedLaplace": "mechanisms.clipped_laplace",
    "CoordinateLaplace": "mechanisms.coordinate_laplace",
    "DeepCandidate": "mechanisms.deep_candidate",
    "DocumentEmbedder": "encoders",
    "Exponential": "mechanisms.exponential",
    "FunctionEncoder": "encoders",
    "Gaussian": "mechanisms.gaussian",
    "GaussianMean": "mechanisms.document_means",
    "Guarantee": "guarantees",
    "HyperbolicLaplace": "mechanisms.hyperbolic",
    "InvalidInputError": "errors",
    "Jaccard": "mechanisms.jaccard",
    "Laplace": "mechanisms.laplace",
    "Ledger": "ledger",
    "Mahalanobis": "mechanisms.mahalanobis",
    "Mechanism": "mechanisms.mechanism",
    "MiniLM": "encoders",
    "MissingDependencyError": "errors",
    "Nadp": "mechanisms.nadp",
    "NearestWord": "mechanisms.nearest_word",
    "NotPrivateWarning": "errors",
    "Pairs": "guarantees",
    "PrivEmb": "mechanisms.privemb",
    "PrivUnit": "mechanisms.privunit",
    "PublicResponse": "mechanisms.public_response",
    "RandomSource": "randomness",
    "Receipt": "receipts",
    "Recoded": "encoders",
    "Recoder": "encoders",
    "Relation": "guarantees",
    "Release": "receipts",
    "RewrittenWords": "encoders",
    "SentenceMeans": "encoders",
    "SentenceResponses": "mechanisms.sentence_responses",
    "SentenceTransformersEncoder": "encoders",
    "Status": "guarantees",
    "TextEmbedder": "encoders",
    "TextRewriter": "text",
    "TextveilError": "errors",
    "TruncatedMean": "mechanisms.document_means",
    "Unit": "guarantees",
    "Verdict": "auditing",
    "Vocabulary": "vocabulary",
    "WordVector": "mechanisms.word_vector",
    "audit": "auditing",
    "calibrate": "measure.calibration",
    "check_apart": "text",
    "default_candidates": "encoders.public_sentences",
    "from_spec": "mechanisms",
    "public_vectors": "encoders",
    "sentences_in": "text",
    "statistics": "measure.statistics",
}

__all__ = [
    "Adept",
    "Answers",
    "AuditReport",
    "AutoEncoder",
    "AveragedPrivUnit",
    "AveragedWords",
    "Candidates",
    "CertificateError",
    "Chosen",
    "ClippedLaplace",
    "CoordinateLaplace",
    "DeepCandidate",
    "DocumentEmbedder",
    "Exponential",
    "FunctionEncoder",
    "Gaussian",
    "GaussianMean",
    "Guarantee",
    "HyperbolicLaplace",
    "InvalidInputError",
    "Jaccard",
    "Laplace",
    "Ledger",
    "Mahalanobis",
    "Mechanism",
    "MiniLM",
    "MissingDependencyError",
    "Nadp",
    "NearestWord",
    "NotPrivateWarning",
    "Pairs",
    "PrivEmb",
    "PrivUnit",
    "PublicResponse",
    "RandomSource",
    "Receipt",
    "Recoded",
    "Recoder",
    "Relation",
    "Release",
    "RewrittenWords",
    "SentenceMeans",
    "SentenceResponses",
    "SentenceTransformersEncoder",
    "Status",
    "TextEmbedder",
    "TextRewriter",
    "TextveilError",
    "TruncatedMean",
    "Unit",
    "Verdict",
    "Vocabulary",
    "WordVector",
    "audit",
    "calibrate",
    "check_apart",
    "default_candidates",
    "from_spec",
    "public_vectors",
    "sentences_in",
    "statistics",
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
