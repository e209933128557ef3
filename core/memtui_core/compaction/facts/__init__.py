"""What was done in a segment: files, commands, errors and names, and which of them a summary keeps."""
