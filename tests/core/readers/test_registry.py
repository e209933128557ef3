"""The readers that come with memtui, which are imported by name."""

from __future__ import annotations

import subprocess
import sys

from memtui_core.readers import registry
from memtui_core.readers.aider import Aider
from memtui_core.readers.amazonq import AmazonQ
from memtui_core.readers.amp import Amp
from memtui_core.readers.antigravity import Antigravity
from memtui_core.readers.augment import Augment
from memtui_core.readers.base import Reader
from memtui_core.readers.chat_exports import ChatGpt, ClaudeAi
from memtui_core.readers.claude_code import ClaudeCode
from memtui_core.readers.cline import Cline
from memtui_core.readers.codex import Codex
from memtui_core.readers.continue_dev import Continue
from memtui_core.readers.copilot import Copilot
from memtui_core.readers.crush import Crush
from memtui_core.readers.cursor import CursorAgent
from memtui_core.readers.droid import Droid
from memtui_core.readers.gemini import Gemini
from memtui_core.readers.generic import Generic
from memtui_core.readers.goose import Goose
from memtui_core.readers.hermes import Hermes
from memtui_core.readers.iflow import IFlow
from memtui_core.readers.junie import Junie
from memtui_core.readers.kimi import Kimi
from memtui_core.readers.kiro import Kiro
from memtui_core.readers.openclaw import OpenClaw
from memtui_core.readers.opencode import Kilo, OpenCode
from memtui_core.readers.openhands import OpenHands
from memtui_core.readers.pi import OhMyPi, Pi
from memtui_core.readers.qwen import Qwen
from memtui_core.readers.roo import Roo
from memtui_core.readers.vibe import Vibe
from memtui_core.readers.warp import Warp
from memtui_core.readers.zed import Zed

BY_PRECEDENCE: list[Reader] = [
    *(Roo(), Cline(), CursorAgent(), Qwen(), Antigravity(), Gemini(), IFlow(), Aider(), OpenHands(), Droid(), Kimi()),
    *(Junie(), Copilot(), Continue(), Augment(), Amp(), Vibe(), OpenClaw(), OhMyPi(), Pi(), AmazonQ(), Kiro(), Warp()),
    *(Crush(), Zed(), Goose(), Hermes(), Kilo(), OpenCode(), Codex(), ClaudeAi(), ChatGpt(), ClaudeCode()),
]
"""A type checker sees here that each class is a `Reader`."""


def test_the_readers_by_name_are_those_classes_in_that_order() -> None:
    assert [type(reader) for reader in registry.readers()] == [type(reader) for reader in BY_PRECEDENCE]
    assert [type(reader) for reader in registry.all_readers()] == [
        type(reader) for reader in [*BY_PRECEDENCE, Generic()]
    ]
    for entry in (*registry._readers, *registry._named_readers):
        assert isinstance(entry, registry._BuiltIn)
        assert entry.agent == entry.reader.agent
        assert registry.reader_of(entry.agent) is entry.reader


def test_a_reader_is_found_by_each_of_its_names() -> None:
    for reader in registry.all_readers():
        for name in (reader.agent, reader.name, reader.name.upper()):
            assert registry.reader_named(name) is reader, name
    assert registry.reader_named("zebra") is None


def test_asking_for_one_agent_imports_one_reader() -> None:
    code = (
        "import sys; from memtui_core.readers.registry import label; label('codex'); label('zebra');"
        "print(*sorted(name for name in sys.modules if name.startswith('memtui_core.readers.') and name.count('.') == 2"
        " and hasattr(sys.modules[name], '__path__')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["memtui_core.readers.codex"]
