"""What is trained on public data: hyperbolic embeddings of hierarchies."""
