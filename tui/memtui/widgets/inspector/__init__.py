"""The inspector of the current turn."""
