"""What the user decided on rows of reviews, and on sessions and turns."""
