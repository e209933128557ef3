"""New transcripts are prepared in other processes, and merged by the indexer."""
