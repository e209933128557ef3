"""Rollouts, the transcripts of Codex."""
