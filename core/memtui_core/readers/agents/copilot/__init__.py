"""Copilot CLI: a file of events for each session, and a small file about its folder and title."""
