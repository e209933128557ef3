"""Texts of any origin, made safe and fit for where they go."""
