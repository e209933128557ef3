"""The screen with who wrote each line of a file."""
