"""The line at the bottom."""
