"""The passages of turns that answer a query."""
