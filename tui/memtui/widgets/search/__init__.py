"""The search line."""
