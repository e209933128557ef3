"""What is kept of sessions outside the databases: their rows as values, and append-only files of records."""
