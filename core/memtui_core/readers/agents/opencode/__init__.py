"""The readers of OpenCode, and of Kilo, which is made from it."""
