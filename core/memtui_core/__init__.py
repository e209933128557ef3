"""The index of coding-agent transcripts and the search over it."""
