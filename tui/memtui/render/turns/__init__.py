"""The parts of a turn as rows."""
