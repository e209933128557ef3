"""The search, its hits, and saved searches."""
