"""Kimi Code and Kimi CLI: a folder for each session, with files for each agent and one about the session."""
