"""A package for each agent."""
