"""Keys and actions, each declared once."""
