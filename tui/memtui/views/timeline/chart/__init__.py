"""The chart above the list of the timeline."""
