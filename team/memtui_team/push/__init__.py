"""Pushing: what leaves this machine, how it is written on the server, and what is remembered of it here."""
