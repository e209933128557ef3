"""What is written by hand so that a start takes less time: each saves a command or the app more than 50 ms."""
