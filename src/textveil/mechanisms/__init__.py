"""Mechanisms: one file each. Importing this package registers them all."""

from textveil.mechanisms.adept import Adept
from textveil.mechanisms.clipped_laplace import ClippedLaplace
from textveil.mechanisms.coordinate_laplace import CoordinateLaplace
from textveil.mechanisms.deep_candidate import DeepCandidate
from textveil.mechanisms.directions import Directions
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
from textveil.mechanisms.sentence_responses import SentenceResponses
from textveil.mechanisms.word_vector import WordVector

__all__ = [
    "Adept",
    "AveragedPrivUnit",
    "ClippedLaplace",
    "CoordinateLaplace",
    "DeepCandidate",
    "Directions",
    "Exponential",
    "Gaussian",
    "GaussianMean",
    "HyperbolicLaplace",
    "Jaccard",
    "Laplace",
    "Mahalanobis",
    "Mechanism",
    "Nadp",
    "NearestWord",
    "PrivEmb",
    "PrivUnit",
    "PublicResponse",
    "SentenceResponses",
    "TruncatedMean",
    "WordVector",
    "from_spec",
]
