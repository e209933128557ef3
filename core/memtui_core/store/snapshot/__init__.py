"""The immutable files that the indexer publishes, and reading them."""
