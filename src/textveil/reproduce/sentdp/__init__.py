"""Sentences and documents: Meehan, Mrini and Chaudhuri (2022) on sentence-level privacy, and PublicResponse.

`table_1` needs nothing; `sentences` and `figure_4` read public benchmark data from a folder and encode it with MiniLM.
What was measured: docs/results.md.
"""
