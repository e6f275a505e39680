"""Make the auto-encoder that comes with textveil: python -m textveil.learn.autoencoder.shipping [DEVICE]."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from textveil.learn.autoencoder.autoencoder import SHIPPED
from textveil.learn.autoencoder.requests import requests
from textveil.learn.autoencoder.training import Moment, Recipe, train

UTTERANCES = 20_000
# The one that is shipped met all noise from the start.
RECIPE = Recipe(epsilon=2.0, up_to=12.0, growing=0.0, length=20, epochs=40, batch=128, rate=6e-3)


def _report(moment: Moment) -> None:
    sys.stderr.write(f"{moment}\n")


def ship(folder: Path, *, device: str = "cpu") -> str:
    """Train on made-up requests, write the file and return its sha256, to be put into autoencoder.py."""
    texts = [each.text for each in requests(UTTERANCES)]
    made = train(texts, RECIPE, device=device, report=_report)
    made.save(folder / SHIPPED)
    return hashlib.sha256((folder / SHIPPED).read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.stdout.write(ship(Path(__file__).with_name("data"), device=(*sys.argv[1:], "cpu")[0]) + "\n")
