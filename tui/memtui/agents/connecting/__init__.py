"""What connects agents to memtui: the server, hooks, skill or extension in their settings, and the plugins."""
