"""What was decided, over sessions and time: the list of it, and what may have replaced a decision later."""
