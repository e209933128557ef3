"""Changes to a program, and what its tests say to them."""
