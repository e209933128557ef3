"""The titles of sessions: the names of threads, and those of reviews."""
