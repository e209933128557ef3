"""Commands for what the user adds to sessions and turns."""
