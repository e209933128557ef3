"""The terminal, the clipboard, other programs and the log."""
