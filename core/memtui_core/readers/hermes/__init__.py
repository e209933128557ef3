"""Hermes Agent: a database with the sessions of a profile, and files that older versions wrote besides."""

from memtui_core.readers.hermes.reader import Hermes

__all__ = ["Hermes"]
