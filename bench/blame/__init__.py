"""How many lines of files are claimed for the turn that wrote them, and how many of the claims are right."""
