"""The reader of Cline: its program for the terminal, and its extension of editors."""
