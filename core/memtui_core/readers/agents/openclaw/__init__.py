"""OpenClaw: sessions with the entries of Pi, in JSON lines files, and since 2026 in a database for each agent."""
