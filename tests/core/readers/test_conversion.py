"""What readers of several agents convert by the same functions."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from memtui_core.model import Block
from memtui_core.readers.conversion.content import image_in, json_text
from memtui_core.readers.conversion.json_values import epoch_seconds
from memtui_core.readers.conversion.messages import add_agent_call, answer, tokens_in, with_notes
from memtui_core.readers.conversion.messages import prompt as prompt_of
from memtui_core.readers.conversion.user_text import between
from memtui_core.readers.records import AgentCall, Message, Usage

AT = datetime(2026, 8, 8, 12, 0, tzinfo=UTC)
TAGS = ("<ask>", "</ask>")


@pytest.mark.parametrize(
    ("value", "at"),
    [
        (AT.timestamp(), AT),
        (AT.timestamp() * 1000, AT),
        (True, None),
        ("1786190400", None),
        (None, None),
        (1e300, None),
    ],
)
def test_a_time_in_seconds(value: Any, at: datetime | None) -> None:
    assert epoch_seconds(value) == at


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a <ask>b</ask> c", ("b", "a  c")),
        ("<ask>close it by </ask> please</ask>", ("close it by </ask> please", "")),
        ("<ask></ask>", ("", "")),
        ("</ask> <ask>", (None, "</ask> <ask>")),
        ("<ask> is open", (None, "<ask> is open")),
    ],
)
def test_the_text_between_tags(text: str, found: tuple[str | None, str]) -> None:
    assert between(text, *TAGS) == found


@pytest.mark.parametrize(
    ("address", "image"),
    [
        ("data:image/png;base64,AAAA", ("image/png", "AAAA")),
        ("data:image/svg+xml;charset=utf-8;base64,AAAA", ("image/svg+xml", "AAAA")),
        ("https://example.org/a.png?;base64,AAAA", ("audio", None)),
        ("data:image/png;base64,", ("audio", None)),
        (7, ("audio", None)),
    ],
)
def test_an_image_in_an_address(address: Any, image: tuple[str, str | None]) -> None:
    assert image_in(address, "audio") == image


@pytest.mark.parametrize(
    "value",
    [
        {"command": "npm test", "limit": 2**70},
        {"command": "npm test", "text": "half \ud83d"},
        {"command": "npm test", "list": json.loads("[" * 400 + "]" * 400)},
        ["é", None, True, 1.5],
    ],
)
def test_a_value_is_json_whatever_is_in_it(value: Any) -> None:
    text = json_text(value)
    assert (json.loads(text), '": ' in text) == (value, False)


def test_a_prompt_with_notes() -> None:
    notes = [("a rule", "reminder"), (" ", "reminder"), ("! ls", "shell")]
    blocks = [Block(0, 3, "note", text, label) for text, label in (notes[0], notes[2])]
    typed = Block(0, 3, "user", "Look")
    assert list(with_notes(prompt_of(3, 30, "Look", None), notes)) == [
        Message(3, 30, "human", "user", blocks=[typed, *blocks])
    ]
    assert list(with_notes(prompt_of(3, 30, "", None), notes)) == [Message(3, 30, "note", "system", blocks=blocks)]
    assert list(with_notes(prompt_of(3, 30, "", None), notes[1:2])) == []


def test_tokens_that_are_all_missing_are_none() -> None:
    names = ("sent", "received")
    assert tokens_in({"sent": 7, "received": -1}, names) == Usage(7)
    assert [tokens_in(value, names) for value in ({"sent": 0}, {"read": 7}, None)] == [None, None, None]


def test_only_a_call_with_an_id_starts_a_subagent() -> None:
    message = answer(0, 0, None)
    add_agent_call(message, "call-1", {"subagent_type": "explorer", "prompt": "Find it", "description": 7}, "session-2")
    add_agent_call(message, None, {"prompt": "Find it"})
    assert message.agent_calls == [AgentCall("call-1", "session-2", "explorer", None, "Find it")]
