"""The view of earlier sessions and their observations."""
