"""The receipt of a release in files: what was promised, and the digests by which the output is known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textveil.errors import InvalidInputError
from textveil.guarantees import Guarantee, Pairs, Relation, Status, Unit
from textveil.jobs.journal import ReleasedFile
from textveil.receipts import Receipt, digest_of

RECEIPT_SUFFIX = ".receipt.json"


@dataclass(frozen=True, kw_only=True)
class FileReceipt(Receipt):
    """The facts of one release in files; `items` counts texts or vectors.

    Parameters
    ----------
    rows : records, with and without a text or vector
    files : each file of the output
    selection : which column was released, and how it was read
    vectors : of released vectors, their dimension and how they are written
    ledger : of a release that a budget pays for, its entry, the data set and the cost
    """

    rows: int
    files: tuple[ReleasedFile, ...]
    selection: dict[str, Any]
    vectors: dict[str, Any] | None = None
    ledger: dict[str, Any] | None = None

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> FileReceipt:
        """Return the receipt that plain values describe, or say what is wrong with them."""
        with _well_formed():
            return cls(**_values(plain) | {"files": tuple(ReleasedFile(**file) for file in plain["files"])})

    @classmethod
    def load(cls, path: Path) -> FileReceipt:
        """Read a receipt."""
        return cls.from_dict(plain_receipt(path))


@dataclass(frozen=True, kw_only=True)
class ServiceReceipt(Receipt):
    """The facts of one release over HTTP, as the service sent them.

    Parameters
    ----------
    ledger : whether and where it was counted
    """

    ledger: dict[str, Any]

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> ServiceReceipt:
        """Return the receipt that plain values describe, or say what is wrong with them."""
        with _well_formed():
            receipt = cls(**_values(plain))
            # Numbers that JSON does not have have no digest.
            digest_of(plain)
            if not isinstance(receipt.ledger["counted"], bool) or not receipt.statement:
                raise TypeError
            return receipt


def plain_receipt(path: Path) -> dict[str, Any]:
    """Return the values of a receipt file."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInputError(f"there is no receipt {path}; give its path") from None
    except ValueError:
        raise InvalidInputError(
            f"{path} is not JSON, so it is no receipt; give the .receipt.json of the output"
        ) from None
    if not isinstance(plain, dict):
        raise InvalidInputError(
            f"{path} is not a JSON object, so it is no receipt; give the .receipt.json of the output"
        )
    return plain


def receipt_path(target: Path) -> Path:
    """Return where the receipt of an output is."""
    return target.with_name(target.name + RECEIPT_SUFFIX)


def sha256_of(path: Path) -> str:
    """Return the digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _well_formed() -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InvalidInputError("the receipt is not well-formed: it was edited, or another program wrote it") from None


def _values(plain: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a receipt, with the guarantee as what it is."""
    values = {name: value for name, value in plain.items() if name != "statement"}
    if not isinstance(values["mechanism"]["mechanism"], str):
        raise TypeError
    return values | {"guarantee": _guarantee(values["guarantee"])}


def _guarantee(plain: dict[str, Any]) -> Guarantee:
    values = dict(plain)
    relation = dict(values.pop("relation"))
    return Guarantee(
        unit=Unit(values.pop("unit")),
        status=Status(values.pop("status")),
        reveals=tuple(values.pop("reveals")),
        relation=Relation(pairs=Pairs(relation.pop("pairs")), **relation),
        **values,
    )
