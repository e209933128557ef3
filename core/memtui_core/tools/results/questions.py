"""The questions that a tool call asked the user, and the answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
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


def options_not_chosen(call: ToolCall) -> Iterator[tuple[str, str, str]]:
    """The question, the label and the description of each option that the user did not choose.

    An answer in the user's own words, which names no option, leaves none.
    """
    given = dict(answers(call))
    for asked in questions_of(call):
        question, options = asked.get("question"), asked.get("options")
        answer = given.get(question) if isinstance(question, str) else None
        labels = [one for one in options if isinstance(one, dict)] if isinstance(options, list) else []
        if answer is None or not any(str(one.get("label")) in answer for one in labels):
            continue
        for one in labels:
            label, reason = str(one.get("label") or ""), str(one.get("description") or "")
            if label and label not in answer:
                yield str(question), label, reason


def asked_questions(call: ToolCall) -> list[str]:
    """The questions that a call asks the user."""
    return [question for asked in questions_of(call) if isinstance(question := asked.get("question"), str)]


def questions_of(call: ToolCall) -> list[dict[str, Any]]:
    """The questions as the agent wrote them: `question`, and `options` with `label` and `description`."""
    if call.name.lower() not in vocabulary().names.questions:
        return []
    asked = call.fields.get("questions")
    return [one for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []
