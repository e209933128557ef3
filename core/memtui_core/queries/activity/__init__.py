"""What sessions are at: how they ended, and what they used."""
