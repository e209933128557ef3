"""Names and titles that tell similar things apart."""
