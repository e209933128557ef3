"""The reader of Auggie, Augment's program for the terminal."""
