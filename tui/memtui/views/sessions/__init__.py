"""The view of projects and their sessions."""
