"""Going from turn to turn, call to call, match to match."""
