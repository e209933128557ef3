"""Screens for what goes on from a session: to another agent, from an earlier turn, to other people."""
