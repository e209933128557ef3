"""Other machines of the same user, whose transcripts are mirrored below the data folder."""
