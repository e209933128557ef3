"""The view of compactions and their reviews."""
