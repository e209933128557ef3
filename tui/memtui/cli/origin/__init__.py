"""The commands that tell where lines come from."""
