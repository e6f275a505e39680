"""Mechanisms from plain values: the operator names one of textveil's and its parameters, as in Python.

Public objects are named by a word or a path: a vocabulary, candidates, an encoder, a codec, arrays. A value that is
itself a table with `mechanism` in it is another mechanism.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import textveil
from textveil.encoders import AveragedWords, DocumentEmbedder, Encoder, MiniLM, TextEmbedder
from textveil.encoders.public_sentences import default_candidates
from textveil.encoders.sentence_transformers import SentenceTransformersEncoder
from textveil.errors import InvalidInputError
from textveil.mechanisms.candidates import Candidates
from textveil.mechanisms.documents import DocumentMechanism
from textveil.mechanisms.mechanism import Mechanism
from textveil.vocabulary import Vocabulary

ARRAYS = ("covariance", "public", "lower", "upper")


def make(entry: Mapping[str, Any], folder: Path) -> Mechanism:
    """Make the mechanism that an entry of the configuration describes.

    Parameters
    ----------
    entry : `mechanism` and its parameters; with `encoder` it takes texts or documents
    folder : where relative paths begin
    """
    given = dict(entry)
    encoder = _encoder(str(given.pop("encoder")), folder) if "encoder" in given else None
    made = _mechanism(given, folder, encoder)
    if encoder is None:
        return made
    return (DocumentEmbedder if isinstance(made, DocumentMechanism) else TextEmbedder)(made, encoder=encoder)  # type: ignore[arg-type]


def _mechanism(given: Mapping[str, Any], folder: Path, encoder: Encoder | None) -> Mechanism:
    parameters = dict(given)
    name = parameters.pop("mechanism", None)
    kind = getattr(textveil, name, None) if isinstance(name, str) and name in textveil.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, Mechanism)) or inspect.isabstract(kind):
        raise InvalidInputError(f"mechanism must be one of textveil's, such as Exponential (got {name!r})")
    there = inspect.signature(kind).parameters
    for parameter in parameters:
        if parameter not in there:
            raise InvalidInputError(f"{name} has no parameter {parameter!r}; it has {', '.join(there)}")
    if "dimension" in there and encoder is not None:
        parameters.setdefault("dimension", encoder.dimension)
    values = {parameter: _value(parameter, value, folder, encoder) for parameter, value in parameters.items()}
    try:
        made: Mechanism = kind(**values)
    except TypeError:
        needed = [each for each, facts in there.items() if facts.default is inspect.Parameter.empty]
        raise InvalidInputError(
            f"{name} needs {', '.join(needed)} (given: {', '.join(parameters) or 'none'})"
        ) from None
    return made


def _value(parameter: str, value: Any, folder: Path, encoder: Encoder | None) -> Any:
    """Return the public object that a value of the configuration stands for, or the value itself."""
    if isinstance(value, Mapping):
        return _mechanism(value, folder, encoder)
    if not isinstance(value, str):
        return value
    if parameter == "vocabulary":
        return _vocabulary(value, folder)
    if parameter == "candidates":
        return _candidates(value, folder, encoder)
    if parameter == "codec":
        from textveil.learn.autoencoder import AutoEncoder

        return AutoEncoder.default() if value == "default" else AutoEncoder.load(folder / value)
    return _array(folder / value) if parameter in ARRAYS else value


@cache
def _vocabulary(value: str, folder: Path) -> Vocabulary:
    if value == "default":
        return Vocabulary.default()
    return Vocabulary.hyperbolic() if value == "hyperbolic" else Vocabulary.load(folder / value)


@cache
def _encoder(value: str, folder: Path) -> Encoder:
    if value == "words":
        return AveragedWords(_vocabulary("default", folder))
    if value in ("minilm", "minilm-int8"):
        return MiniLM(precision="int8" if value == "minilm-int8" else "float32")
    return SentenceTransformersEncoder(value)


def _candidates(value: str, folder: Path, encoder: Encoder | None) -> Candidates:
    if value != "default":
        return Candidates.load(folder / value, encoder)
    if encoder is None:
        raise InvalidInputError("without an encoder, candidates must be a file of public vectors")
    return default_candidates(encoder)


def _array(path: Path) -> Any:
    import numpy as np

    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError):
        raise InvalidInputError(f"{path} is not an npy file of numbers; save it with numpy.save") from None
