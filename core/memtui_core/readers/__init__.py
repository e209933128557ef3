"""Readers: one agent's files to the records that all share."""
