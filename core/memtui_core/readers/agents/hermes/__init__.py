"""Hermes Agent: a database with the sessions of a profile, and files that older versions wrote besides."""
