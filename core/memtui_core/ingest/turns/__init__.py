"""Turns of the messages of a transcript, and their rows."""
