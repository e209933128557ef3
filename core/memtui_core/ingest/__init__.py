"""Bring the index up to date with the transcripts on disk."""
