"""Values of entries, made messages."""
