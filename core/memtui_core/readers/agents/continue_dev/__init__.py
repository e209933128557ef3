"""The reader of Continue: its extensions of editors, and its program for the terminal."""
