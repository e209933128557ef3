"""How well reviews of compactions tell what was lost."""
