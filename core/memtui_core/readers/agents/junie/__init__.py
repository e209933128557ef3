"""Junie, the agent of JetBrains: a folder with the events of each session."""
