"""The scroll bar with marks."""
