"""Tool calls: what they did, to which files, and the shell commands among them."""
