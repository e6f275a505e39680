"""What is trained on public data: hyperbolic embeddings of hierarchies, auto-encoders of utterances, recoders."""
