"""How much of what a session looks up again an agent was told before: see __main__."""
