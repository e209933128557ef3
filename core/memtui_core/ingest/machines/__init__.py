"""The user's other machines: which there are, and copies of the transcripts of their agents."""
