"""The view of past sessions and observations."""
