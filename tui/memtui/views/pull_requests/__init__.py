"""The view of pull requests."""
