"""The commands that tell where lines come from, and how errors were mended."""
