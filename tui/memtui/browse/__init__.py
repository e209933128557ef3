"""The main screen: it frames the search line, a view, the transcript and the inspector."""
