"""A public document chosen for a private one by its depth among the sentences."""

from textveil.mechanisms.deep_candidate.deep_candidate import DeepCandidate

__all__ = ["DeepCandidate"]
