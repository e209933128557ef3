"""What tool calls are about, in one line: the purpose and the command, the file and its lines, the question."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from rich.cells import cell_len

from memtui.render.clean import clean
from memtui.render.links import file_link
from memtui.render.rows import Span
from memtui.render.tools.calls import RenderedCall
from memtui.render.tools.diff import counts
from memtui.wording.formatting import cut, plural
from memtui.wording.path_text import middle_cut
from memtui_core.tools.results.questions import answers, asked_questions
from memtui_core.tools.results.todos import Todo
from memtui_core.tools.shell.looks import command_line
from memtui_core.tools.vocabulary import Family, text_of, vocabulary

MARKS: Final = {"completed": "☑", "in_progress": "◐", "pending": "☐", "cancelled": "☒", "deleted": "☒"}
"""The signs of to-dos by their status."""
_Spans = tuple[Span, ...]
_GAP: Final = ("  ", "")
_LEAST: Final = 12
"""Cells from which on the beginning of a command after its purpose says anything."""
_FOUND = re.compile(r"Found ([\d,]+) (?:total )?(file|match|occurrence|line|result)")
_NUMBERED = re.compile(r"(?:[^:\n]+:)?\d+:")
"""The beginning of a line with a match, as tools that search print it with its number."""


def subject(call: RenderedCall, width: int, opened: bool = False) -> _Spans:
    """What a call is about in at most `width` cells; below an `opened` one stands the command if it has to be cut."""
    if asked_questions(call.tool):
        return _question(call, width)
    return _SUBJECTS.get(call.tool.family, _other)(call, width, opened)


def shows_command(call: RenderedCall, width: int) -> bool:
    """Whether the subject in `width` cells shows all of the shell command."""
    purpose, command = _purpose(call), _command(call)
    used = cell_len(purpose) + len(_GAP[0]) if purpose else 0
    return command == clean(call.tool.command).strip() and used + cell_len(command) <= width


def line_of(text: str) -> str:
    """The first line of a text that is not blank; further lines are shown as `…`."""
    lines = [line for line in clean(text[:2000]).strip().split("\n") if line.strip()]
    return (lines[0].strip() + (" …" if len(lines) > 1 else "")) if lines else ""


def found(call: RenderedCall) -> str:
    """What a search found: `14 matches`, `3 files`, `nothing`; lines if it does not say which are matches."""
    lines = [line for line in call.output if line.strip()]
    if not lines or (len(lines) == 1 and lines[0].startswith("No ")):
        return "nothing"
    for line in (lines[0], lines[-1]):
        if match := _FOUND.match(line):
            count, noun = int(match[1].replace(",", "")), match[2]
            return plural(count, noun, "matches" if noun == "match" else None)
    if call.name.lower() in vocabulary().names.listings:
        return plural(len(lines), "file")
    matches = sum(_NUMBERED.match(line) is not None for line in lines)
    return plural(matches, "match", "matches") if matches else plural(len(lines), "line")


def _purpose(call: RenderedCall) -> str:
    return line_of(call.tool.purpose)


def _command(call: RenderedCall) -> str:
    return clean(command_line(call.tool.command))


def _shell(call: RenderedCall, width: int, opened: bool) -> _Spans:
    purpose, command = cut(_purpose(call), width), _command(call)
    if not purpose:
        return _text(cut(command, width))
    room = width - cell_len(purpose) - len(_GAP[0])
    if room < min(_LEAST, cell_len(command)) or (opened and not shows_command(call, width)):
        return ((purpose, ""),)
    return ((purpose, ""), _GAP, (cut(command, room), "muted"))


def _file(call: RenderedCall, width: int, _: bool) -> _Spans:
    """The path, which is a link if the file exists, with the lines that were read or changed."""
    facts = _lines_read(call) if call.tool.family == "read" else _lines_changed(call)
    more = f" and {len(call.paths) - 1} more" if len(call.paths) > 1 else ""
    used = sum(cell_len(text) for text, _ in facts)
    path = line_of(call.path)
    # The name of the file says more than its lines.
    if call.tool.family == "read" and cell_len(path.rpartition("/")[2]) + used > width:
        facts, used = (), 0
    path = middle_cut(path, max(8, width - len(more) - used))
    link = file_link(call.written_path, call.root)
    return tuple(span for span in ((path, link), (more, ""), *facts) if span[0])


def _lines_read(call: RenderedCall) -> _Spans:
    if call.result is None or call.tool.is_error:
        return ()
    numbers = [at for at, _ in call.lines_read if at is not None]
    if numbers and (numbers[0] > 1 or call.tool.fields.get("limit") is not None):
        whole = f"line {numbers[0]}" if len(numbers) == 1 else f"lines {numbers[0]}–{numbers[-1]}"
    else:
        whole = plural(len(numbers) or len(call.output), "line")
    return ((f" · {whole}", "muted"),)


def _lines_changed(call: RenderedCall) -> _Spans:
    added, removed = counts(call.changes) if call.changes and not call.tool.is_error else (0, 0)
    spans: list[Span] = [(f"+{added}", "added")] if added else []
    spans += [(f"{' ' if spans else ''}−{removed}", "removed")] if removed else []
    return (_GAP, *spans) if spans else ()


def _search(call: RenderedCall, width: int, _: bool) -> _Spans:
    pattern = line_of(text_of(call.tool.fields, ("pattern", "query")))
    path = "" if pattern and call.name.lower() in vocabulary().names.listings else line_of(call.path)
    facts = f" · {found(call)}" if call.result is not None and not call.tool.is_error else ""
    width -= len(facts)
    if not pattern or not path:
        about = cut(pattern, width) if pattern else middle_cut(path, max(8, width))
    else:
        place = f" in {middle_cut(path, max(width - cell_len(pattern) - 4, width // 2, 8))}"
        about = cut(pattern, max(1, width - cell_len(place))) + place
    return (*_text(about), *(((facts, "muted"),) if facts else ()))


def _task(call: RenderedCall, width: int, _: bool) -> _Spans:
    facts: list[str] = []
    if kind := line_of(text_of(call.tool.fields, ("subagent_type", "agent_type"))):
        facts.append(kind)
    text = line_of(call.tool.subject) or line_of(text_of(call.tool.fields, ("message",)))
    if call.subagent is not None:
        turns = plural(call.subagent.turns, "turn")
        whole = f"S opens its session · {turns}"
        is_wide = cell_len(text) + sum(len(fact) + 3 for fact in facts) + len(whole) + 3 <= width
        facts.append(whole if is_wide else f"S opens it · {turns}")
    after = "".join(f" · {fact}" for fact in facts)
    text = cut(text, max(8, width - cell_len(after)))
    return tuple(span for span in ((text, ""), (after if text else after[3:], "muted")) if span[0])


def _plan(call: RenderedCall, width: int, _: bool) -> _Spans:
    """What a call changed in the agent's list of to-dos, and how much of a whole list is done."""
    after = call.todos
    changed = [name for name, todo in after.items() if call.todos_before.get(name) != todo]
    if not changed and not after:
        return _other(call, width, False)
    whole = listed(call)
    done = f" · {sum(todo.status == 'completed' for todo in after.values())}/{len(after)} done" if whole else ""
    # What is done or begun says more than what is still to be done.
    first = [name for name in changed if after[name].status != "pending"]
    shown = first or (changed if not whole or len(changed) == 1 else [])
    text = ", ".join(_todo(name, after[name]) for name in shown) or (plural(len(changed), "to-do") if changed else "")
    text = cut(text, max(8, width - len(done)))
    return tuple(span for span in ((text, ""), (done if text else done[3:], "muted")) if span[0])


def _todo(name: str, todo: Todo) -> str:
    number = f"{name} " if name.startswith("#") else ""
    return clean(f"{MARKS.get(todo.status, '☐')} {number}{todo.text}").strip()


def listed(call: RenderedCall) -> bool:
    """Whether a call has a whole list of to-dos."""
    return isinstance(call.tool.fields.get("todos", call.tool.fields.get("plan")), list)


def _question(call: RenderedCall, width: int) -> _Spans:
    """The first question with the answer of the user."""
    questions, given = asked_questions(call.tool), dict(answers(call.tool))
    more = f" and {len(questions) - 1} more" if len(questions) > 1 else ""
    answer = line_of(given.get(questions[0], ""))
    arrow = " → " if answer else ""
    room = width - len(more) - len(arrow)
    question = cut(line_of(questions[0]), max(8, room - min(cell_len(answer), room // 2)))
    answer = cut(answer, max(1, room - cell_len(question)))
    return tuple(span for span in ((question, ""), (arrow, "muted"), (answer, "strong"), (more, "muted")) if span[0])


def _other(call: RenderedCall, width: int, _: bool) -> _Spans:
    """The purpose or the file of any other call; else the beginning of a plan, or the first argument with its name."""
    fields = call.tool.fields
    if text := line_of(call.tool.subject or call.path):
        return _text(cut(text, width))
    if call.name.lower() in vocabulary().names.proposals:
        return _text(cut(line_of(text_of(fields, ("plan",))).removesuffix(" …").lstrip("# "), width))
    for name, value in fields.items():
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return ((cut(f"{line_of(name)}: {line_of(str(value))}", width), "muted"),)
    return ()


def _text(text: str) -> _Spans:
    return ((text, ""),) if text else ()


_SUBJECTS: Final[dict[Family, Callable[[RenderedCall, int, bool], _Spans]]] = {
    "read": _file,
    "edit": _file,
    "write": _file,
    "shell": _shell,
    "search": _search,
    "task": _task,
    "plan": _plan,
}
