"""Bollegala et al. (2023), A Neighbourhood-Aware DP Mechanism for Static Word Embeddings: its tables and figures."""
