"""What the transcripts of each agent contain, counted without their readers."""
