"""A query to its hits and passages: filters, engines, fusion."""
