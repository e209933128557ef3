"""Vectors in files of their own, and their HNSW index."""
