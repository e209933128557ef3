"""The view of files over all sessions."""
