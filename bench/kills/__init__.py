"""What is left of an index when the process that writes it is killed."""
