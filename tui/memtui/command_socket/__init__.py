"""A running app or MCP server answers for a cold command, over a Unix socket in the data folder.

The process that is running has everything loaded, so that its answer takes a fraction of the time of a cold one. A
command that gets no answer at once answers for itself, and prints the same.
"""
