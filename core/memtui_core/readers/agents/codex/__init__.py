"""The reader of Codex: everything that memtui knows about its files and commands."""
