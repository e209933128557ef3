"""The readers of the archives in which chat services export a person's conversations."""
