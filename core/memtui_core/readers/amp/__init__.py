"""The reader of Amp."""
