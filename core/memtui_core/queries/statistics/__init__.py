"""Counts over days, projects and agents, and what the tokens cost."""
