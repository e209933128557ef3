"""The reader of Aider."""
