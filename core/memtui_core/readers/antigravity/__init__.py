"""The reader of Antigravity."""
