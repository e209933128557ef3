"""The reader of Crush."""
