"""What was said before a compaction that the next worker may need, as statements with a weight."""
