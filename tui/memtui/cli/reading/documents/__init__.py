"""The commands that write documents of sessions."""
