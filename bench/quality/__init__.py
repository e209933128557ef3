"""How well search finds what is known to be there: python -m bench.quality."""
