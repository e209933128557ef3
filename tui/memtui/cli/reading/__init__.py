"""Commands that read the index."""
