"""Engines: where the files of a run are released, each by itself; in this process unless an engine is given."""

from textveil.engines.engine import Engine
from textveil.engines.ray import RayEngine

__all__ = ["Engine", "RayEngine"]
