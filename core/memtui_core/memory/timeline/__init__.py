"""Sessions with their summaries and observations in the order of time."""
