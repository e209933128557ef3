"""The reader of OpenHands: its program for the terminal, its agent server, and the servers of versions 0 and 1."""
