"""Turns as lines, laid out near the screen."""
