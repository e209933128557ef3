"""The help: the actions of a screen as a menu, and what its symbols and rules mean."""
