"""The reader of Goose."""
