"""What an index counts as decisions, and how many of the sentences are some."""
