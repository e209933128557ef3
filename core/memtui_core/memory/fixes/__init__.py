"""Errors that came up in sessions, and what was changed until the same command passed.

`episodes` pairs the failures of a session with its passes, `changes` reads what was done in between, and `known_errors`
finds the earlier cases of an error.
"""
