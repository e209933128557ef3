"""Searching and reading what colleagues share."""
