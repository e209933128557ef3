"""The stories behind `sample_sessions/`, and the small language in which they are told."""
