"""The transcript of a session: the widget, and the objects that it is composed of."""
