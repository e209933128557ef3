"""The texts that a review compares with a summary, because the agent may need what they say to go on.

These are prompts, answers to the agent's questions, approved plans, tasks that the agent fetched, its conclusions, and
the summaries of earlier compactions. Its thinking and the reports of subagents are left out: of 185 of their sentences,
seven were useful to a reader (bench/review), and what matters in them the agent says again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final, Literal

from memtui_core.compaction.outline import summary_body
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.compaction.statements.phrases import typed_text
from memtui_core.compaction.statements.task_texts import closed_tasks, plan_text, task_texts
from memtui_core.model import Block, Turn
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired_turns
from memtui_core.tools.results.failures import rejection_message
from memtui_core.tools.results.questions import answers, options_not_chosen

TextOrigin = Literal[
    "prompt", "rejection", "answer", "unanswered", "option", "plan", "task", "spec", "conclusion", "remark", "summary",
]  # fmt: skip
"""Where a text comes from.

- prompt: of the user; unanswered: a prompt after which the agent said nothing.
- rejection: what the user wrote when they refused a call; answer: of the user to a question of the agent.
- option: one that the user did not choose; plan: one that the agent presented to the user.
- task: an issue or a ticket that the agent fetched; spec: a document with requirements or a plan that it read or wrote.
- conclusion: the last text of a turn, or a long one; remark: any other text of the agent.
- summary: that of an earlier compaction.
"""
_LONGEST: Final = 40_000
"""Characters of a text that are read."""
_LONG_TEXT: Final = 600
"""Characters from which on a text in the middle of a turn is a conclusion too: agents work for hours in one turn."""
_LONGEST_PICK: Final = 60
"""Characters of a reply in which the user may pick an option."""
_PICK: Final = re.compile(
    r"(?:(?:ok(?:ay)?|yes|let['’]?s|i|we|please|prefer|go|do|use|take|pick|choose|with|for|the|option|approach)[\s,.:]+)*"
    r"\(?(?P<option>[A-Da-d1-5])\)?(?:[\s.,!)—–-].*)?",
    re.IGNORECASE | re.DOTALL,
)
"""A reply that picks one of several options: `Let's go with B.`"""
_LISTED_OPTION: Final = re.compile(
    r"^[ \t]*(?:[-*+•#]{1,6}[ \t]+)?\*{0,2}(?:Option |Approach )?(?P<option>[A-D1-5])\*{0,2}"
    r"(?:[).:]| [—–-] )\*{0,2}[ \t]*(?P<text>\S[^\n]{2,300})",
    re.MULTILINE | re.IGNORECASE,
)
"""A question with the user's answer in the result of a call, for calls that do not have the questions."""


@dataclass(frozen=True, slots=True)
class ReviewedText:
    """A text that is compared with the summary of a compaction, and where it stands in the turns before."""

    origin: TextOrigin
    text: str
    line: int
    turn: Turn
    name: str = ""
    """The id of a task, or the path of a spec."""
    is_whole: bool = False
    """Whether it is a whole task or spec, not a part or an edit of it."""
    is_closed: bool = False
    """Whether it is a task that was closed before the compaction, or a plan that a later one replaced."""
    is_last: bool = False
    """Whether it is the last text of its turn, after the last tool call: then its questions are for the user."""
    reply: str | None = None
    """What the user wrote after it, if it is the last text of its turn; None if there is nothing."""


def reviewed_texts(turns: Sequence[Turn], texts: SessionTexts | None = None) -> list[ReviewedText]:
    """The texts to compare, of turns with their blocks, in order.

    Of a task or a spec, only what is not older than the last time that it was read or written whole.
    """
    texts = texts or SessionTexts()
    calls = list(map(texts.call, paired_turns([(turn.number, turn.blocks) for turn in turns])))
    by_block = {id(call.block): call for call in calls}
    closed = {task for call in calls for task in closed_tasks(call)}
    all_texts = [
        reviewed
        for turn, after in zip_longest(turns, turns[1:])
        for reviewed in _texts_of_turn(turn, _reply(after), by_block)
    ]
    last_whole = {reviewed.name: at for at, reviewed in enumerate(all_texts) if reviewed.is_whole and reviewed.name}
    last_plan = max((at for at, reviewed in enumerate(all_texts) if reviewed.origin == "plan"), default=-1)
    return [
        replace(
            reviewed,
            is_closed=(reviewed.origin == "task" and bool(reviewed.name) and set(reviewed.name.split()) <= closed)
            or (reviewed.origin == "plan" and at < last_plan),
        )
        for at, reviewed in enumerate(all_texts)
        if at >= last_whole.get(reviewed.name, 0)
    ]


def _reply(turn: Turn | None) -> str | None:
    """What the user wrote in a turn; None for no turn, and for one that the user did not begin."""
    return turn.user_text if turn is not None and turn.kind in {"human", "command"} else None


def _listed_options(text: str, reply: str | None) -> Iterator[str]:
    """The options that a text lists by letters or numbers and that the user's reply does not pick."""
    picked = _PICK.fullmatch(reply.strip()[:_LONGEST_PICK]) if reply else None
    if picked is None:
        return
    letter = picked["option"].upper()
    options = {match["option"].upper(): match["text"].strip() for match in _LISTED_OPTION.finditer(text)}
    if letter in options and len(options) > 1:
        yield from (
            f"{option}: {said}"
            for option, said in options.items()
            if option != letter and option.isdigit() == letter.isdigit()
        )


def _texts_of_turn(turn: Turn, reply: str | None, calls: dict[int, ToolCall]) -> Iterator[ReviewedText]:
    last_text = next((block for block in reversed(turn.blocks) if _is_agent_text(block)), None)
    last_call = next((block for block in reversed(turn.blocks) if block.kind == "tool_call"), None)
    for block in turn.blocks:
        if block.kind == "user":
            is_answered = any(
                other.seq > block.seq and (_is_agent_text(other) or other.kind == "tool_call") for other in turn.blocks
            )
            yield from _user_texts(turn, block, is_answered=is_answered)
        elif _is_agent_text(block):
            origin: TextOrigin = "conclusion" if block is last_text or len(block.text) >= _LONG_TEXT else "remark"
            is_last = block is last_text and (last_call is None or last_call.seq < block.seq)
            yield ReviewedText(
                origin, block.text[:_LONGEST], block.line, turn, is_last=is_last, reply=reply if is_last else None
            )
            for option in _listed_options(block.text[:_LONGEST], reply) if is_last else ():
                yield ReviewedText("option", option, block.line, turn)
        elif (call := calls.get(id(block))) is not None:
            yield from _call_texts(turn, call)


def _is_agent_text(block: Block) -> bool:
    return block.kind == "text" and not block.is_error and bool(block.text.strip())


def _user_texts(turn: Turn, block: Block, *, is_answered: bool) -> Iterator[ReviewedText]:
    if turn.kind == "compaction" and block.line == turn.line:
        yield ReviewedText("summary", summary_body(block.text), block.line, turn)
    elif (turn.kind != "command" or block.line != turn.line) and (text := typed_text(block.text)):
        yield ReviewedText("prompt" if is_answered else "unanswered", text, block.line, turn)


def _call_texts(turn: Turn, call: ToolCall) -> Iterator[ReviewedText]:
    for question, answer in answers(call):
        yield ReviewedText("answer", f"{question} {answer}", call.result.line if call.result else call.line, turn)
    for question, label, reason in options_not_chosen(call):
        yield ReviewedText("option", f"{label}{': ' if reason else ''}{reason} ({question})", call.line, turn)
    if call.rejected and call.result is not None and (message := rejection_message(call.result.text)):
        yield ReviewedText("rejection", message, call.result.line, turn)
    if plan := plan_text(call):
        yield ReviewedText("plan", plan[:_LONGEST], call.line, turn)
    for task in () if plan else task_texts(call):
        yield ReviewedText(task.origin, task.text[:_LONGEST], task.line, turn, task.name, task.is_whole)
