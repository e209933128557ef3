"""How well an agent is reminded of the session that worked on a file before: see __main__."""
