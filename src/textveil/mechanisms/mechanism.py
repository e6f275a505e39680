"""What every mechanism is: a guarantee, a spec, and `release` = check -> streams -> sample -> wrap.

What is public goes into the constructor; what is private enters only through `release`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from inspect import isabstract
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from textveil.errors import CertificateError, InvalidInputError
from textveil.guarantees import Guarantee
from textveil.immutable import read_only
from textveil.randomness import Contents, RandomSource, Streams
from textveil.receipts import Receipt, Release, digest_of


class Mechanism(ABC):
    """A randomised release with a known guarantee. Immutable after construction."""

    registry: ClassVar[dict[str, type[Mechanism]]] = {}

    def __init_subclass__(cls, **more: Any) -> None:
        """Register every mechanism under its name, for `from_spec`; only the same class loaded again replaces one."""
        super().__init_subclass__(**more)
        known = Mechanism.registry.get(cls.__name__, cls)
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise InvalidInputError(
                f"a mechanism named {cls.__name__} is there already, in {known.__module__}: specs of it would make "
                "yours; choose another name"
            )
        Mechanism.registry[cls.__name__] = cls

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What a release promises."""

    @abstractmethod
    def spec(self) -> dict[str, Any]:
        """Return the mechanism as plain values; tables and models by their sha256."""

    @abstractmethod
    def _check(self, private: Any) -> Contents:
        """Return the items of the input, or raise an error that quotes nothing private."""

    @abstractmethod
    def _sample(self, items: Any, streams: Streams) -> Any:
        """Draw the outputs of all items, each from its own stream."""

    @abstractmethod
    def _wrap(self, outputs: Any, private: Any) -> Any:
        """Give the outputs the kind and shape of the input."""

    def _keep(self, **checked: Any) -> None:
        """Store checked values in place of those given, which may change later or have fewer digits than a float."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles hold what the mechanism was made from; the rest is made again when it is needed."""
        kind = type(self)
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            self._keep(**{name: read_only(value) if isinstance(value, np.ndarray) else value})

    def release(self, private: Any, *, source: RandomSource | None = None) -> Any:
        """Release private values.

        Parameters
        ----------
        private : what is protected
        source : where the noise comes from; by default fresh noise from the operating system
        """
        return self.release_with_receipt(private, source=source).value

    def release_with_receipt(self, private: Any, *, source: RandomSource | None = None) -> Release[Any]:
        """Release private values, with the receipt that says what was promised."""
        source = RandomSource.given(source)
        items = self._check(private)
        streams = source.streams(self._purpose, items)
        value = self._wrap(self._sample(items, streams), private)
        return Release(value, self._receipt(self.guarantee, source, len(items)))

    def _receipt(self, guarantee: Guarantee, source: RandomSource, items: int) -> Receipt:
        return Receipt(
            mechanism=self.spec(), guarantee=guarantee, randomness=source.kind, private=source.private, items=items
        )

    @cached_property
    def _purpose(self) -> bytes:
        """What the noise is for: mechanisms that differ in anything never share noise."""
        return bytes.fromhex(digest_of(self.spec()))

    @classmethod
    def _from_spec(cls, spec: Mapping[str, Any], objects: Mapping[str, Any]) -> Mechanism:
        return cls(**spec)


def from_spec(spec: Mapping[str, Any], objects: Mapping[str, Any] | None = None) -> Mechanism:
    """Make the mechanism that a spec (of a receipt, say) describes.

    Parameters
    ----------
    spec : what `mechanism.spec()` returned
    objects : the public objects that the spec names by sha256, under their parameter's name
    """
    if not isinstance(spec, Mapping):
        raise InvalidInputError(f"a spec is what mechanism.spec() returned (got {type(spec).__name__})")
    parameters = dict(spec)
    name = parameters.pop("mechanism", None)
    if isinstance(name, str):
        # Those of other rooms register themselves when their name is first used.
        getattr(import_module("textveil"), name, None)
    kind = Mechanism.registry.get(str(name))
    if kind is None or isabstract(kind):
        known = sorted(each for each, kind in Mechanism.registry.items() if not isabstract(kind))
        raise InvalidInputError(f"spec names no known mechanism (got {name!r}); known: {', '.join(known)}")
    try:
        return kind._from_spec(parameters, objects or {})
    except (KeyError, TypeError) as error:
        raise InvalidInputError(
            f"this is not a whole spec of {name} ({error}); give what {name}.spec() returned"
        ) from error


def named_object(
    name: str, digest: str, objects: Mapping[str, Any], *, sha256_of: Callable[[Any], str] = attrgetter("digest")
) -> Any:
    """Return the object of a spec, given under its parameter's name or its sha256, checked against the latter."""
    if not isinstance(digest, str):
        raise InvalidInputError(f"the spec must name {name} by its sha256 (got {type(digest).__name__})")
    found = objects.get(name, objects.get(digest))
    if found is None:
        raise InvalidInputError(f"the spec needs {name} (sha256 {digest[:12]}...): pass objects={{{name!r}: ...}}")
    if (own := sha256_of(found)) != digest:
        raise CertificateError(f"{name} is not the one of the spec: sha256 {own[:12]}..., not {digest[:12]}...")
    return found
