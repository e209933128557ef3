"""What the lists ask of a snapshot."""
