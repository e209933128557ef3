"""The texts before a compaction in which something is said that the next worker may need.

Prompts, answers to the agent's questions, approved plans, tasks that the agent fetched, its conclusions, its thinking,
reports of subagents, and the summaries of earlier compactions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from memtui_core.compaction.errors import rejection_message
from memtui_core.compaction.outline import summary_body
from memtui_core.compaction.phrases import typed_text
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.compaction.task_texts import closed_tasks, plan_text, task_text
from memtui_core.model import Block, Turn
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired_turns

Origin = Literal[
    "prompt", "rejection", "answer", "plan", "task", "spec", "conclusion", "remark", "thinking", "report", "summary"
]
"""prompt: of the user; rejection: what the user wrote on refusing a call; answer: of the user to a question of the
agent; plan: presented to the user; task: an issue or a ticket that the agent fetched; spec: a document with
requirements or a plan that it read or wrote; conclusion: the last text of a turn, or a long one; remark: another text
of the agent; report: of a subagent; summary: of an earlier compaction."""
_LONGEST: Final = 40_000
"""Characters of a text that are read."""
_LONG_TEXT: Final = 600
"""Characters from which on a text in the middle of a turn is a conclusion too: agents work for hours in one turn."""


_ANSWER: Final = re.compile(r'"((?:[^"\\\n]|\\.){1,500}+)"="((?:[^"\\\n]|\\.){1,500}+)"')
"""A question and the user's answer, if the call does not have the questions."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with its place in the history of a compaction."""

    origin: Origin
    text: str
    line: int
    turn: Turn
    name: str = ""
    """The id of a task, or the path of a spec."""
    is_whole: bool = False
    """Whether it is the whole text of a task or a spec, not an edit of it."""
    is_closed: bool = False
    """Whether it is a task that was closed before the compaction."""


def passages(turns: Sequence[Turn], texts: SessionTexts | None = None) -> list[Passage]:
    """The passages of turns with their blocks, in order; of a task or a spec nothing before it was last read whole."""
    texts = texts or SessionTexts()
    calls = list(map(texts.call, paired_turns([(turn.number, turn.blocks) for turn in turns])))
    by_block = {id(call.block): call for call in calls}
    closed = {task for call in calls for task in closed_tasks(call)}
    found = [passage for turn in turns for passage in _turn_passages(turn, by_block)]
    last_whole = {passage.name: at for at, passage in enumerate(found) if passage.is_whole and passage.name}
    return [
        replace(passage, is_closed=passage.origin == "task" and passage.name in closed)
        for at, passage in enumerate(found)
        if at >= last_whole.get(passage.name, 0)
    ]


def answers(call: ToolCall) -> list[tuple[str, str]]:
    """The questions that a call asked the user, with the answers: `"Round up?"="Half to even", "…"="…"`."""
    if call.name.lower() != "askuserquestion" or call.result is None or call.is_error:
        return []
    text = call.result.text
    asked = call.fields.get("questions")
    questions = [one.get("question") for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []
    starts = sorted(
        (at, question)
        for question in questions
        if isinstance(question, str) and (at := text.find(f'"{question}"="')) >= 0
    )
    if not starts:
        return _ANSWER.findall(text[:_LONGEST])
    ends = [*(at for at, _ in starts[1:]), len(text)]
    found = []
    for (at, question), end in zip(starts, ends, strict=True):
        answer = text[at + len(question) + 4 : end]
        found.append((question, answer[: answer.rfind('"')] if '"' in answer else answer))
    return found


def _turn_passages(turn: Turn, calls: dict[int, ToolCall]) -> Iterator[Passage]:
    last_text = next((block for block in reversed(turn.blocks) if _is_said(block)), None)
    for block in turn.blocks:
        if block.kind == "user":
            yield from _user_passages(turn, block)
        elif _is_said(block):
            origin: Origin = "conclusion" if block is last_text or len(block.text) >= _LONG_TEXT else "remark"
            yield Passage(origin, block.text[:_LONGEST], block.line, turn)
        elif block.kind == "thinking":
            yield Passage("thinking", block.text[:_LONGEST], block.line, turn)
        elif (call := calls.get(id(block))) is not None:
            yield from _call_passages(turn, call)


def _is_said(block: Block) -> bool:
    return block.kind == "text" and not block.is_error and bool(block.text.strip())


def _user_passages(turn: Turn, block: Block) -> Iterator[Passage]:
    if turn.kind == "compaction" and block.line == turn.line:
        yield Passage("summary", summary_body(block.text), block.line, turn)
    elif (turn.kind != "command" or block.line != turn.line) and (text := typed_text(block.text)):
        yield Passage("prompt", text, block.line, turn)


def _call_passages(turn: Turn, call: ToolCall) -> Iterator[Passage]:
    for question, answer in answers(call):
        yield Passage("answer", f"{question} {answer}", call.result.line if call.result else call.line, turn)
    if call.rejected and call.result is not None and (message := rejection_message(call.result.text)):
        yield Passage("rejection", message, call.result.line, turn)
    if plan := plan_text(call):
        yield Passage("plan", plan[:_LONGEST], call.line, turn)
    elif (task := task_text(call)) is not None:
        yield Passage(task.origin, task.text[:_LONGEST], task.line, turn, task.name, task.is_whole)
    elif call.family == "task" and call.result is not None and not call.is_error:
        yield Passage("report", call.result.text[:_LONGEST], call.result.line, turn)
