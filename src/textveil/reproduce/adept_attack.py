"""ADePT: who was it? Habernal's sketch of an attack (2021, Appendix C), carried out.

The attacker has the model and a list of utterances, one of which was rewritten, and ranks them. Beside the success
stands what no attack can pass under a loss of epsilon, and delta at epsilon for the two utterances that lie farthest
apart: 0 if the loss is kept. Results: docs/results.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from textveil.learn.autoencoder import AutoEncoder
from textveil.learn.autoencoder.requests import requests
from textveil.measure.utterances import attack_bound, attack_success, farthest_pair, pair_delta
from textveil.reproduce.adept_intents import NOISES, Noise, label_of, mechanism_of, trained
from textveil.reproduce.reproduction import Reproduction
from textveil.reproduce.utterances import public_source, read_corpus

EPSILONS = (1.0, 2.0, 4.0, 6.0, 8.0)
AMONG = (1, 10)
CANDIDATES = 2000
_EPOCHS, _QUICK_EPOCHS = 20, 6
_MADE_UP = 6000
_SAME_TRUE = NOISES[3].name.replace("nominal", "true")


def adept_attack(*, data: Path | None = None, quick: bool = False) -> Reproduction:
    """Attack made-up requests, or those of SNIPS if there is a folder with it."""
    count = CANDIDATES // 10 if quick else CANDIDATES
    if data is None:
        codec = AutoEncoder.default()
        texts = list(dict.fromkeys(each.text for each in requests(_MADE_UP, seed=1)))[:count]
        attacked = [
            (noise, codec) for noise in (NOISES[0], NOISES[3], NOISES[3]._replace(name=_SAME_TRUE, is_true=True))
        ]
    else:
        corpus = read_corpus(data, "snips", seed=0)
        texts = [each.text for each in corpus.private][:count]
        attacked = [(noise, trained(corpus, noise, 0, _QUICK_EPOCHS if quick else _EPOCHS)) for noise in NOISES[:3]]
    return attack(attacked, texts)


def attack(attacked: Sequence[tuple[Noise, AutoEncoder]], texts: Sequence[str]) -> Reproduction:
    """Attack every utterance once, under each noise and epsilon."""
    records = []
    for epsilon in EPSILONS:
        for noise, codec in attacked:
            mechanism = mechanism_of(codec, noise, epsilon)
            source = public_source(f"attack {noise.name} {epsilon}")
            true = getattr(mechanism.mechanism, "true_epsilon", epsilon)
            record = {"noise": noise.name, "epsilon": epsilon, "true epsilon": true}
            for knows in ("vector", "text"):
                found = attack_success(mechanism, texts, np.arange(len(texts)), among=AMONG, knows=knows, source=source)
                record |= {f"{knows}, among {k}": share for k, share in found.items()}
            record["delta"] = pair_delta(mechanism, farthest_pair(mechanism, texts), epsilon, source=source)
            records.append(record | {f"bound, among {k}": attack_bound(epsilon, len(texts), among=k) for k in AMONG})
    numbers = {"candidates": len(texts), "success": records}
    return Reproduction(numbers=numbers, tables=(_table(records, len(texts)),), records=records)


def _table(records: Sequence[dict[str, Any]], count: int) -> Table:
    title = (
        f"How often an attacker finds which of {count:,} utterances was rewritten; vector and text are of one release"
    )
    table = Table(title=title, title_justify="left")
    for name in ("epsilon", "truly", "noise"):
        table.add_column(name, justify="left")
    shown = [f"{knows}, among {k}" for knows in ("vector", "text", "bound") for k in AMONG]
    for name in (*shown, "delta at epsilon"):
        table.add_column(name, justify="right")
    for record in records:
        shares = (f"{record[name]:.2%}" for name in shown)
        epsilons = (f"{record[name]:.3g}" for name in ("epsilon", "true epsilon"))
        table.add_row(*epsilons, label_of(record["noise"]), *shares, f"{record['delta']:.3f}")
    return table
