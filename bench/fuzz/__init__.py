"""Mutated inputs of everything that memtui reads."""
