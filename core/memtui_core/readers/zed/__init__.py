"""The reader of Zed."""
