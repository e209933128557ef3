"""What the transcripts of each agent contain, counted without the readers."""
