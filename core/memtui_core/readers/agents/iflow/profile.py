"""The names that iFlow CLI uses: those of Gemini CLI, which it comes from."""

from memtui_core.tools.profile import Profile

PROFILE = Profile()
