"""Tool calls, their results and their changes as rows."""
