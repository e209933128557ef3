"""A query to its hits and passages: filters, engines, fusion."""

ENGINES = ("lexicon", "meaning", "paths")
"""The engines by name; `meaning` is semantic search."""
