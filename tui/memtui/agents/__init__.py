"""What agents use: the MCP server and the hooks."""
