"""`memtui doctor`: what memtui finds, what it could not read, and whether the index is sound."""
