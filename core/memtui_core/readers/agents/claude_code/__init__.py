"""The reader of Claude Code: everything that memtui knows about its files, settings and commands."""
