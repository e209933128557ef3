"""How many secrets are replaced, and what else: invented secrets in life-like places, and transcripts."""
