"""Commands that keep the index."""
