"""Mistral Vibe: a folder with messages and metadata for each session."""
