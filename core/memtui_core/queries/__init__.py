"""Queries of a snapshot: what lists and readers show of sessions, turns, files, compactions and pull requests."""
