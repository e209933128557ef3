"""Warp: the conversations with its agent, in the database of the terminal."""
