"""What the summary of a compaction says about checks, commands and files, beside what happened."""
