"""Markdown and source code as rows."""
