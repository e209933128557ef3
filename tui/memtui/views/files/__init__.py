"""The view of the files of all sessions."""
