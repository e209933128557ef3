"""Agents of npm with memtui, and a model that only calls its tools."""
