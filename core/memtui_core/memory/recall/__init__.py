"""Earlier turns that are similar to a prompt or touched a file."""
