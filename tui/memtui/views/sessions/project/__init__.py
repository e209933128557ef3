"""The page of a project, beside the session tree."""
