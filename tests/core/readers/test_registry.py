"""The readers that come with memtui, which are imported by name."""

from __future__ import annotations

import subprocess
import sys

from memtui_core.readers import registry
from memtui_core.readers.agents.aider.reader import Aider
from memtui_core.readers.agents.amazonq.reader import AmazonQ
from memtui_core.readers.agents.amp.reader import Amp
from memtui_core.readers.agents.antigravity.reader import Antigravity
from memtui_core.readers.agents.augment.reader import Augment
from memtui_core.readers.agents.chat_exports.reader import ChatGpt, ClaudeAi
from memtui_core.readers.agents.claude_code.reader import ClaudeCode
from memtui_core.readers.agents.cline.reader import Cline
from memtui_core.readers.agents.codex.reader import Codex
from memtui_core.readers.agents.continue_dev.reader import Continue
from memtui_core.readers.agents.copilot.reader import Copilot
from memtui_core.readers.agents.crush.reader import Crush
from memtui_core.readers.agents.cursor.reader import CursorAgent
from memtui_core.readers.agents.droid.reader import Droid
from memtui_core.readers.agents.gemini.reader import Gemini
from memtui_core.readers.agents.generic.reader import Generic
from memtui_core.readers.agents.goose.reader import Goose
from memtui_core.readers.agents.hermes.reader import Hermes
from memtui_core.readers.agents.iflow.reader import IFlow
from memtui_core.readers.agents.junie.reader import Junie
from memtui_core.readers.agents.kimi.reader import Kimi
from memtui_core.readers.agents.kiro.reader import Kiro
from memtui_core.readers.agents.openclaw.reader import OpenClaw
from memtui_core.readers.agents.opencode.reader import Kilo, OpenCode
from memtui_core.readers.agents.openhands.reader import OpenHands
from memtui_core.readers.agents.pi.reader import OhMyPi, Pi
from memtui_core.readers.agents.qwen.reader import Qwen
from memtui_core.readers.agents.roo.reader import Roo
from memtui_core.readers.agents.vibe.reader import Vibe
from memtui_core.readers.agents.warp.reader import Warp
from memtui_core.readers.agents.zed.reader import Zed
from memtui_core.readers.base import Reader
from memtui_core.tools.vocabulary import vocabulary

BY_PRECEDENCE: list[Reader] = [
    *(Roo(), Cline(), CursorAgent(), Qwen(), Antigravity(), Gemini(), IFlow(), Aider(), OpenHands(), Droid(), Kimi()),
    *(Junie(), Copilot(), Continue(), Augment(), Amp(), Vibe(), OpenClaw(), OhMyPi(), Pi(), AmazonQ(), Kiro(), Warp()),
    *(Crush(), Zed(), Goose(), Hermes(), Kilo(), OpenCode(), Codex(), ClaudeAi(), ChatGpt(), ClaudeCode()),
]
"""A type checker sees here that each class is a `Reader`."""


ARGUMENTS = (
    *("paths", "commands", "folders", "old_texts", "new_texts", "contents", "edit_lists", "blocks", "patches"),
    "subjects",
)


def test_the_readers_by_name_are_those_classes_in_that_order() -> None:
    assert [type(reader) for reader in registry.readers()] == [type(reader) for reader in BY_PRECEDENCE]
    assert [type(reader) for reader in registry.all_readers()] == [
        type(reader) for reader in [*BY_PRECEDENCE, Generic()]
    ]
    for entry in (*registry._BUILT_IN, registry._GENERIC):
        assert (entry.agent, entry.profile) == (entry.reader.agent, entry.reader.profile)
        assert registry.reader_of(entry.agent) is entry.reader


def test_what_counts_first_for_an_agent_counts_first_for_all() -> None:
    """A call may have several arguments of a field; memtui does not ask which agent made it."""
    merged = vocabulary().names
    for profile in registry.profiles():
        for field in ARGUMENTS:
            own = getattr(profile, field)
            assert [name for name in getattr(merged, field) if name in own] == list(own), (profile, field)


def test_a_reader_is_found_by_each_of_its_names() -> None:
    for reader in registry.all_readers():
        for name in (reader.agent, reader.name, reader.name.upper()):
            assert registry.reader_named(name) is reader, name
    assert registry.reader_named("zebra") is None


def test_asking_for_one_agent_imports_one_reader() -> None:
    code = (
        "import sys; from memtui_core.readers.registry import label; label('codex'); label('zebra');"
        "print(*sorted(name for name in sys.modules if name.startswith('memtui_core.readers.agents.')"
        " and name.count('.') == 3 and hasattr(sys.modules[name], '__path__')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["memtui_core.readers.agents.codex"]
