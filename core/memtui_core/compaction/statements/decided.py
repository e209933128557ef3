"""What was decided in a turn, quoted: by the user's words, answers to questions, refused calls, and plans.

What a call and its result say is certain. Of what the user typed, only sentences count that choose or exclude a thing
in words that leave no doubt; docs/decisions.md says how often that is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from memtui_core.compaction.outline import outline, sentences
from memtui_core.compaction.statements.deciding_words import CHOOSES, DECIDES_NOT, EXCLUDES, MAY_DECIDE
from memtui_core.compaction.statements.phrases import decisions, is_mostly_pasted, typed_text
from memtui_core.compaction.statements.task_texts import plan_text
from memtui_core.compaction.words import without_code
from memtui_core.model import Block
from memtui_core.readers.conversion.user_text import classify
from memtui_core.text.controls import one_line
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired
from memtui_core.tools.results.failures import rejection_message
from memtui_core.tools.results.questions import answers, options_not_chosen
from memtui_core.tools.summary import headline
from memtui_core.tools.vocabulary import vocabulary

DecisionWay = Literal["said", "answer", "option", "rejected", "plan"]
"""How something was decided.

- said: a sentence that the user typed.
- answer: the user's answer to a question of the agent; option: one of its options that they did not choose.
- rejected: a tool call that the user refused, with the reason that they gave.
- plan: one that the user approved, or sent back with a remark.
"""
_LONGEST_PROMPT: Final = 2000
"""Characters of a prompt; a longer one is a pasted text or a task, in which every other sentence is an instruction."""
_SHORTEST, _LONGEST = 8, 300
"""Characters of a sentence."""
_LONGEST_QUOTE: Final = 500
"""Characters of a question, an option, a remark or a heading that are kept."""
_MOST_POINTS: Final = 6
"""Decisions of a plan that are quoted."""
_SMALL_SENTENCE_END: Final = re.compile(r"(?<=[\w)][.!?;])(?<!e\.g\.)(?<!i\.e\.)(?<!\bvs\.)\s+|(?<=\.\.)\s+|\s*\n\s*")
"""The end of a sentence also where the next one begins with a small letter, as many people type."""
_GIVES_ROLE: Final = re.compile(r"You(?: are|['’]re) (?:an?|the|now) ")
"""The beginning of a prompt that a program writes: it says first who the agent is."""
_HAS_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_MARKUP: Final = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that was decided in a turn."""

    seq: int
    """`Block.seq` of the prompt; of the call that asked; of the result that has the remark."""
    way: DecisionWay
    excludes: bool
    """Whether it says what shall not be: a refusal, an option that was not chosen, `no mocks`."""
    text: str
    """The quote, on one line. On the lines after it: the question of an answer or an option; the call, or the title of
    the plan, that was refused; what an approved plan decides."""


def decisions_of(blocks: Sequence[Block]) -> Iterator[Decision]:
    """What was decided in a turn, in order, from its blocks as they are stored."""
    for block in blocks:
        if block.kind == "user" and MAY_DECIDE.search(block.text, 0, 2 * _LONGEST_PROMPT):
            yield from (Decision(block.seq, "said", excludes, text) for text, excludes in said(block.text))
    if any(map(_may_ask, blocks)):
        for call in paired(blocks):
            yield from _of_call(call)


def _may_ask(block: Block) -> bool:
    """Whether a block is a call that asks the user, or the result of one that failed and may have been refused."""
    is_call = block.kind == "tool_call" and vocabulary().asks_user(block.tool or "")
    return is_call or (block.kind == "tool_result" and block.is_error)


def said(prompt: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a prompt that decide, and whether each only excludes something; none of a text of a program."""
    typed = typed_text(prompt) if classify(prompt).kind == "human" else ""
    if not typed or len(typed) > _LONGEST_PROMPT or _GIVES_ROLE.match(typed) or is_mostly_pasted(typed):
        return
    plain = without_code(typed)
    parts = (part for span in sentences(plain) for part in _SMALL_SENTENCE_END.split(plain[span.start : span.end]))
    for sentence in parts:
        if not _SHORTEST <= len(sentence) <= _LONGEST or "?" in sentence or DECIDES_NOT.search(sentence):
            continue
        chooses = CHOOSES.search(sentence) is not None
        if chooses or EXCLUDES.search(sentence):
            yield one_line(sentence), not chooses


def _of_call(call: ToolCall) -> Iterator[Decision]:
    if call.result is None:
        return
    if call.rejected:
        remark = one_line(rejection_message(call.result.text), _LONGEST_QUOTE)
        if not _HAS_LETTERS.search(remark) or remark.endswith("?"):
            return
        plan = plan_text(call)
        subject = _title(plan) if plan else headline(call, "")
        yield Decision(call.result.seq, "plan" if plan else "rejected", True, _lines(remark, subject))
    elif not call.is_error:
        if (plan := plan_text(call)) and "approved" in call.result.text[:_LONGEST_QUOTE].lower():
            yield Decision(call.seq, "plan", False, _lines(_title(plan), *_points(plan)))
        yield from _answered(call)


def _answered(call: ToolCall) -> Iterator[Decision]:
    rejected = list(options_not_chosen(call))
    for question, answer in answers(call):
        if answer.strip():
            yield Decision(call.seq, "answer", False, _lines(answer, question))
            yield from (
                Decision(call.seq, "option", True, _lines(label, question))
                for asked, label, _ in rejected
                if asked == question
            )


def _title(plan: str) -> str:
    """The first heading of a plan, else its first line."""
    sections = outline(plan)
    return sections[0].title if sections else plan.strip().partition("\n")[0]


def _points(plan: str) -> list[str]:
    """What a plan decides."""
    return [_MARKUP.sub("", one) for one in decisions(plan, by_user=False)][:_MOST_POINTS]


def _lines(*parts: str) -> str:
    return "\n".join(one_line(part, _LONGEST_QUOTE) for part in parts if part.strip())
