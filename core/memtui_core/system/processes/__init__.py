"""Processes: how this one ends, and what others are doing."""
