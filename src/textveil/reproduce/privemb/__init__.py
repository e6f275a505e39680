"""Feyisetan and Kasiviswanathan (2021), Private Release of Text Embedding Vectors: its tables and figures."""
