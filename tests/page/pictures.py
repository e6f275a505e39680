"""Take over three pictures of the tests into the documentation, with few colours so that they stay small."""

from __future__ import annotations

from pathlib import Path

from PIL import Image
from tests.page.looking import PICTURES

DOCS = Path(__file__).parents[2] / "docs" / "pictures"
TAKEN = {"page-try": "try-light-1280", "page-disc": "disc-dark", "page-release": "released-light-1280"}
COLOURS = 96


def main() -> None:
    for name, source in TAKEN.items():
        picture = Image.open(PICTURES / f"{source}.png").convert("RGB")
        few = picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        few.save(DOCS / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
