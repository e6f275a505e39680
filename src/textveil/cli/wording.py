"""Messages of the library, which name parameters of Python, in the words of the command line."""

from __future__ import annotations

import re

_NAMES = (
    "alpha|candidates|case|clip|column|counting|covariance|dataset|delimiter|delta|device|dtype|epsilon|format|header|metric|mix|"
    "nearest|normalise|offset|overwrite|packed|precision|projection|projections|public|radius|receipt|sampler|samples|sensitivity|"
    "target|unit|utility|vocabulary|weights|workers"
)
_RULES = (
    # Where a message names both, the option is enough.
    (r" \((--[\w-]+), \w+=\w*\)", r" (\1)"),
    (r"(--[\w-]+) \(\w+=\w*\)", r"\1"),
    (r"\b\w+=\w* \((--[\w-]+)\)", r"\1"),
    (r" or give a larger step=", ""),
    (r"\ballow cycles \((--allow-cycles)\)", r"give \1"),
    (r"\bup_to\b", "--up-to"),
    (r"^the share of unchanged words (must)\b", r"--unchanged \1"),
    (r"^size (must)\b", r"--words \1"),
    (r"^gpus (must)\b", r"--worker-gpus \1"),
    (r"^address (must)\b", r"--ray-address \1"),
    (r"\bthe address of a cluster\b", "--ray-address of a cluster"),
    (rf"\b({_NAMES})=True\b", r"--\1"),
    (rf"\b({_NAMES})=[\"']?([\w.+-]+)[\"']?", r"--\1 \2"),
    (rf"\b({_NAMES})=(?=\W|$)", r"--\1"),
    (rf"^({_NAMES}) (must|has|needs)\b", r"--\1 \2"),
)


def in_options(message: str) -> str:
    """Return a message with options in place of parameters."""
    for pattern, words in _RULES:
        message = re.sub(pattern, words, message)
    return message
