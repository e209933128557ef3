"""Tool calls: what they did, to which files, and their shell commands."""
