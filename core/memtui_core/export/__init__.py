"""Sessions, or some of their turns, as documents in the formats of `formats`."""
