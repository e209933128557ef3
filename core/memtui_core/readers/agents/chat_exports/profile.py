"""The names that chats use: none of their tools acts on files."""

from memtui_core.tools.profile import Profile

PROFILE = Profile()
