"""The tools, one module each: its arguments, its answer and its declaration."""
