"""The open session: what it is, loading it, and the panes that show it."""
