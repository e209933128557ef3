"""The indexer, which brings the index up to date with the transcripts on the disk."""
