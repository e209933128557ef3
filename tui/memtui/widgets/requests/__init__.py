"""What panes ask of the screen."""
