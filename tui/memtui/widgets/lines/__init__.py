"""Widgets that show lines of text."""
