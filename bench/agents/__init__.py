"""What the files of each agent hold, counted without its reader."""
