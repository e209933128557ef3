"""The database of the indexer."""
