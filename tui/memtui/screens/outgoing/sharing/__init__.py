"""The screen on which a redacted copy is looked through before it is written or copied."""
