"""The widgets: each shows one thing and tells of gestures by its own messages."""
