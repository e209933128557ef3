"""Markdown: texts that are quoted in it, and its text without the markup."""
