"""The tabs of the inspector as rows: thinking, tools, files and facts of one turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from memtui.render.clean import clean, plain_rows
from memtui.render.rows import GAP, Row, Span, prefixed
from memtui.render.tools.bodies import body
from memtui.render.tools.calls import RenderedCall, rendered_calls
from memtui.render.tools.headings import heading
from memtui.wording.annotated import tags_text
from memtui.wording.formatting import agent_full_name, duration, number, plural, stamp
from memtui.wording.path_text import distinguishing_folders, middle_cut
from memtui_core.model import FileTouch, Session, TouchKind, Turn
from memtui_core.text.machine_folders import folder_of, own_folders

_KINDS: tuple[tuple[TouchKind, str], ...] = (("edited", "Edited"), ("read", "Read"), ("mentioned", "Mentioned"))
_INDENT: tuple[Span, ...] = (("  ", ""),)
_TOLD = "Told"


class InspectorCounts(NamedTuple):
    """How much of each kind a turn has for the inspector."""

    thinking: int = 0
    tools: int = 0
    files: int = 0


def turn_counts(turn: Turn, touches: Sequence[FileTouch]) -> InspectorCounts:
    """The counts of a turn with its blocks."""
    thinking = sum(block.kind == "thinking" and bool(block.text.strip()) for block in turn.blocks)
    tools = sum(block.kind == "tool_call" for block in turn.blocks)
    return InspectorCounts(thinking, tools, len(files_of(touches)))


def thinking_rows(turn: Turn) -> list[Row]:
    """All thinking of the turn, the blocks separated by `⋯`."""
    rows: list[Row] = []
    for block in turn.blocks:
        if block.kind == "thinking" and block.text.strip():
            if rows:
                rows += [Row((), GAP), Row((("⋯", "muted"),), GAP), Row((), GAP)]
            rows += plain_rows(block.text, "", block.seq)
    return rows or nothing("No thinking in this turn.", "Agents may think without writing it down.")


def calls_of(turn: Turn, root: str) -> list[RenderedCall]:
    """The tool calls of a turn in file order, results without a call included."""
    return list(rendered_calls(turn.blocks, root).values())


def tool_rows(calls: Sequence[RenderedCall], opened: Collection[int], chosen: int, width: int) -> list[Row]:
    """One line for each call; an opened call is followed by its input and its result.

    `opened` contains the `seq` of calls, `chosen` is the index of the marked one.
    """
    rows: list[Row] = []
    for index, call in enumerate(calls):
        mark = (("› ", "chosen"),) if index == chosen else _INDENT
        lead = Row(heading(call, width - 2, call.seq in opened), call.seq, mark, _INDENT, "none", call.seq)
        rows.append(lead)
        if call.seq in opened:
            under = body(call, max(20, width - 4), True, heading_width=width - 2)
            rows += [*prefixed(under, (("    ", ""),), (("    ", ""),)), Row((), GAP)]
    return rows or nothing("No tools in this turn.")


def file_rows(touches: Sequence[FileTouch], chosen: int, width: int) -> list[Row]:
    """The files of the turn, grouped by kind; `Row.seq` is the index in `files_of`."""
    rows: list[Row] = []
    index = 0
    folders = distinguishing_folders(touch.path for touch in touches)
    for kind, title in _KINDS:
        paths = [path for path, strongest in files_of(touches) if strongest == kind]
        if paths and rows:
            rows.append(Row((), GAP))
        if paths:
            rows.append(Row(((f"{title} {len(paths)}", "muted"),), GAP))
        for path in paths:
            mark = (("› ", "chosen"),) if index == chosen else _INDENT
            text = middle_cut(clean(path).replace("\n", " "), width - 2, folders.get(path))
            rows.append(Row(((text, ""),), index, mark, _INDENT, "none", index))
            index += 1
    return rows or nothing("No files in this turn.")


def files_of(touches: Sequence[FileTouch]) -> list[tuple[str, TouchKind]]:
    """Each path once, with its strongest kind of touch: edited, then read, then mentioned."""
    kinds: dict[str, TouchKind] = {}
    for kind, _ in _KINDS:
        for touch in touches:
            if touch.kind == kind:
                kinds.setdefault(touch.path, kind)
    return list(kinds.items())


def info_rows(session: Session, turn: Turn, used: Sequence[tuple[str, str]] = (), reminders: int = 0) -> list[Row]:
    """The facts of a turn and of its session: times, tokens, branch, ids.

    `used` is what the session used; `reminders` is how often memtui told it something: that row has a fold.
    """
    facts = [
        ("Turn", f"{number(turn.number)} of {number(session.turns)}"),
        ("Kind", turn.kind),
        ("Started", stamp(turn.started_at)),
        ("Ended", stamp(turn.ended_at)),
        ("Worked", duration(turn.active.total_seconds()) if turn.active is not None else ""),
        ("Models", ", ".join(turn.models)),
        ("Tokens in", number(turn.input_tokens)),
        ("Tokens out", number(turn.output_tokens)),
        ("Tools", number(len(turn.tool_summary))),
        ("Errors", number(turn.errors) if turn.errors else ""),
        ("Lines", f"{number(turn.line + 1)}–{number(turn.end_line + 1)} of the transcript"),
        ("Reference", f"{session.session_id}:{turn.number}"),
    ]
    facts += _added(turn)
    about = [
        ("Session", session.title),
        ("Agent's title", session.agent_title),
        (_TOLD, f"{plural(reminders, 'reminder')} by memtui" if reminders else ""),
        ("Archived", "left out of lists and searches" if session.archived else ""),
        *_added(session),
        ("Id", session.session_id),
        ("Agent", " ".join(filter(None, (agent_full_name(session.agent), session.version)))),
        ("Shared by", session.member),
        ("Machine", session.machine),
        ("Project", session.project),
        ("Machine", session.machine),
        ("Folder", session.cwd or folder_of(session.root)),
        ("Worktree", own_folders(session.root, session.worktree)[1] or ""),
        ("Branch", session.branch or ""),
        ("Started", stamp(session.started_at)),
        ("Ended", stamp(session.ended_at)),
        *used,
        ("Subagents", plural(session.children, "session") if session.children else ""),
        ("Compacted", plural(session.compactions, "time") if session.compactions else ""),
        ("Part of", "the session that started this agent" if session.parent is not None else ""),
        ("Forked from", session.forked_from or ""),
        ("Source", _source(session)),
    ]
    width = max(len(name) for name, value in [*facts, *about] if value) + 2
    return [*_table(facts, width), Row((), GAP), *_table(about, width)]


def _added(of: Session | Turn) -> list[tuple[str, str]]:
    """What the user has added to a session or a turn."""
    pinned = [("Pinned", "★")] if of.pinned else []
    tags = [("Tags", tags_text(of.tags))] if of.tags else []
    return [*pinned, *tags, *(("Your note", note) for note in of.notes)]


def _source(session: Session) -> str:
    """What is left of the transcript, if it is not all."""
    if session.only_prompts:
        return "only the prompts are left; the transcript is not on the disk"
    return "gone; what is indexed is kept" if session.gone else ""


def _table(facts: Sequence[tuple[str, str]], width: int) -> list[Row]:
    lines = [(name, clean(value)) for name, value in facts if value]
    indent = ((" " * width, ""),)
    return [
        Row(
            ((value.replace("\n", " "), ""),),
            index,
            ((f"{name:<{width}}", "muted"),),
            indent,
            fold=0 if name == _TOLD else None,
        )
        for index, (name, value) in enumerate(lines)
    ]


def nothing(*lines: str) -> list[Row]:
    """The text of an empty tab."""
    return [Row(((line, "muted"),), GAP) for line in lines]
