"""The reader of the Amazon Q Developer command line, which Kiro comes from."""

from memtui_core.readers.amazonq.reader import AmazonQ

__all__ = ["AmazonQ"]
