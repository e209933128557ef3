"""The reader of Cursor: its program for the terminal, and its editor."""
