"""Requests of other processes, which the indexer that has the lock serves."""
