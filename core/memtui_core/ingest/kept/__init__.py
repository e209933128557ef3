"""What is kept of sessions that are gone from their agents, and how it comes back."""
