"""The questions that a tool call asked the user, and the answers."""

from __future__ import annotations

import re
from typing import Any, Final

from memtui_core.tools.call import ToolCall
from memtui_core.tools.vocabulary import vocabulary

_LONGEST: Final = 40_000
"""Characters of a result that are read."""
_ANSWERED_QUESTION: Final = re.compile(r'"((?:[^"\\\n]|\\.){1,500}+)"="((?:[^"\\\n]|\\.){1,500}+)"')


def answers(call: ToolCall) -> list[tuple[str, str]]:
    """The questions that a call asked the user, with the answers: `"Round up?"="Half to even", "…"="…"`."""
    if call.name.lower() not in vocabulary().names.questions or call.result is None or call.is_error:
        return []
    text = call.result.text
    starts = sorted((at, question) for question in asked_questions(call) if (at := text.find(f'"{question}"="')) >= 0)
    if not starts:
        return _ANSWERED_QUESTION.findall(text[:_LONGEST])
    ends = [*(at for at, _ in starts[1:]), len(text)]
    given = []
    for (at, question), end in zip(starts, ends, strict=True):
        answer = text[at + len(question) + 4 : end]
        given.append((question, answer[: answer.rfind('"')] if '"' in answer else answer))
    return given


def asked_questions(call: ToolCall) -> list[str]:
    """The questions that a call asks the user."""
    return [question for asked in questions_of(call) if isinstance(question := asked.get("question"), str)]


def questions_of(call: ToolCall) -> list[dict[str, Any]]:
    """The questions as the agent wrote them: `question`, and `options` with `label` and `description`."""
    if call.name.lower() not in vocabulary().names.questions:
        return []
    asked = call.fields.get("questions")
    return [one for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []
