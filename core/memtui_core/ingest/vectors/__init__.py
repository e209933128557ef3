"""The vectors of turns, and their HNSW index."""
