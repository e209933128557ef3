"""The reader of the Kiro command line."""
