"""The view of statistics."""
