"""The settings of the user, and what the app keeps from run to run."""
