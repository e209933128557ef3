"""The reader of Roo Code, which comes from Cline."""
