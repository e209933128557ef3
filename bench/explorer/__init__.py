"""The app as the person at the keys feels it, each figure beside that of the least Textual app that does the like."""
