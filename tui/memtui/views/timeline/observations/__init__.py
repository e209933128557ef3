"""Observations on the timeline."""
