"""Short texts for values, the same on every screen."""
