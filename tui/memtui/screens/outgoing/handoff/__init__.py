"""The screen that shows a hand-off before it is copied, saved or given to an agent."""
