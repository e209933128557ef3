"""Screens that say where something comes from: a line, a commit, an error that came up before."""
