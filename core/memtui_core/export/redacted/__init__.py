"""Copies of sessions for other people: what is private is replaced, and every replacement is listed."""
