"""The model to lines of text with named styles; no widgets and no colours."""
