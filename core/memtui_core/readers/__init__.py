"""Readers, which convert the transcripts of one agent to records that are the same for all agents."""
