"""Factory Droid: a JSON lines file for each session, in one folder for each working directory."""
