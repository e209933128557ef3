"""The reader of the Amazon Q Developer command line, which Kiro comes from."""
