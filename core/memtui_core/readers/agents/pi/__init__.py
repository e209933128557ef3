"""Pi, and Oh My Pi, which is based on it: JSON lines files in one folder for each working directory."""
