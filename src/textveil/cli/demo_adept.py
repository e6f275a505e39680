"""textveil demo adept: whole utterances rewritten, what is promised, and why the published version is not."""

from __future__ import annotations

REQUESTS = (
    "Will it be colder in Ohio next week?",
    "Remind me to take my insulin at eight in the morning.",
    "Text Maria that I am at the hospital.",
    "Book a flight from Boston to Denver on Friday.",
    "Send two hundred dollars to my brother.",
)
EPSILONS = (2.0, 5.0, 8.0, 12.0)


def show(seed: int | None) -> None:
    """Rewrite a few requests at four strengths; print the guarantee, and that of the published noise."""
    from rich.console import Console

    from textveil.learn.autoencoder import AutoEncoder
    from textveil.mechanisms.adept import Adept
    from textveil.mechanisms.clipped_laplace import ClippedLaplace
    from textveil.randomness import RandomSource

    console = Console(highlight=False)
    codec = AutoEncoder.default()
    console.rule("the originals")
    for text in REQUESTS:
        console.print(text, style="dim", markup=False)
    for epsilon in EPSILONS:
        source = None if seed is None else RandomSource.seeded(seed)
        console.rule(f"epsilon {epsilon:g}")
        for text in Adept(codec, epsilon=epsilon).release(list(REQUESTS), source=source):
            console.print(text, markup=False)
    console.rule("what is promised at epsilon 8")
    console.print(str(Adept(codec, epsilon=8.0).guarantee), markup=False)
    console.rule("what the published noise promises")
    noise = ClippedLaplace(epsilon=8.0, clip=codec.clip, dimension=codec.dimension, variant="published")
    console.print(str(Adept(codec, noise).guarantee), markup=False)
