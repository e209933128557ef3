"""Notes that agents and users save, and their search."""
