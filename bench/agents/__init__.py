"""How much the files of each agent hold, counted by a few lines of plain JSON or SQL of their own."""
