"""The tabs of the inspector as rows: thinking, tools, files and facts of one turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memtui.formatting import duration, middle_cut, number, plural, stamp
from memtui.render.calls import RenderedCall, rendered_calls
from memtui.render.clean import clean, plain_rows
from memtui.render.rows import GAP, Row, Span, prefixed
from memtui.render.tool_bodies import body
from memtui.render.tool_headings import heading
from memtui_core.model import FileTouch, Session, TouchKind, Turn

_KINDS: tuple[tuple[TouchKind, str], ...] = (("edited", "Edited"), ("read", "Read"), ("mentioned", "Mentioned"))
_DEEPER: tuple[Span, ...] = (("  ", ""),)


def thinking_rows(turn: Turn) -> list[Row]:
    """All thinking of the turn; a rule between two pieces of it."""
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
    """A line a call; under an opened one its input and its result. `chosen` is the index of the marked one."""
    rows: list[Row] = []
    for index, call in enumerate(calls):
        mark = (("› ", "chosen"),) if index == chosen else _DEEPER
        lead = Row(heading(call, width - 2, call.seq in opened), call.seq, mark, _DEEPER, "none", call.seq)
        rows.append(lead)
        if call.seq in opened:
            under = body(call, max(20, width - 4), True)
            rows += [*prefixed(under, (("    ", ""),), (("    ", ""),)), Row((), GAP)]
    return rows or nothing("No tools in this turn.")


def file_rows(touches: Sequence[FileTouch], chosen: int, width: int) -> list[Row]:
    """The files of the turn by what was done to them; `seq` is the index in `files_of`."""
    rows: list[Row] = []
    index = 0
    for kind, title in _KINDS:
        paths = [path for path, what in files_of(touches) if what == kind]
        if paths and rows:
            rows.append(Row((), GAP))
        if paths:
            rows.append(Row(((f"{title} {len(paths)}", "muted"),), GAP))
        for path in paths:
            mark = (("› ", "chosen"),) if index == chosen else _DEEPER
            text = middle_cut(clean(path).replace("\n", " "), width - 2)
            rows.append(Row(((text, ""),), index, mark, _DEEPER, "none", index))
            index += 1
    return rows or nothing("No files in this turn.")


def files_of(touches: Sequence[FileTouch]) -> list[tuple[str, TouchKind]]:
    """Each path once, by the strongest thing that was done to it: edited, then read, then mentioned."""
    found: dict[str, TouchKind] = {}
    for kind, _ in _KINDS:
        for touch in touches:
            if touch.kind == kind:
                found.setdefault(touch.path, kind)
    return list(found.items())


def info_rows(session: Session, turn: Turn) -> list[Row]:
    """The facts of a turn and of its session: times, tokens, branch, ids."""
    took = (turn.ended_at - turn.started_at).total_seconds() if turn.started_at and turn.ended_at else None
    facts = [
        ("Turn", f"{number(turn.number)} of {number(session.turns)}"),
        ("Kind", turn.kind),
        ("Started", stamp(turn.started_at)),
        ("Ended", stamp(turn.ended_at)),
        ("Took", duration(took) if took is not None else ""),
        ("Models", ", ".join(turn.models)),
        ("Tokens in", number(turn.input_tokens)),
        ("Tokens out", number(turn.output_tokens)),
        ("Tools", number(len(turn.tool_summary))),
        ("Errors", number(turn.errors) if turn.errors else ""),
        ("Lines", f"{number(turn.line + 1)}–{number(turn.end_line + 1)} of the transcript"),
        ("Reference", f"{session.session_id}:{turn.number}"),
    ]
    about = [
        ("Session", session.title),
        ("Id", session.session_id),
        ("Agent", " ".join(filter(None, (session.agent, session.version)))),
        ("Project", session.project),
        ("Folder", session.cwd or session.root),
        ("Branch", session.branch or ""),
        ("Started", stamp(session.started_at)),
        ("Ended", stamp(session.ended_at)),
        ("Subagents", plural(session.children, "session") if session.children else ""),
        ("Compacted", plural(session.compactions, "time") if session.compactions else ""),
        ("Part of", "the session that started this agent" if session.parent is not None else ""),
        ("Forked from", session.forked_from or ""),
        ("Source", "gone; what is indexed is kept" if session.gone else ""),
    ]
    width = max(len(name) for name, _ in [*facts, *about]) + 2
    return [*_table(facts, width), Row((), GAP), *_table(about, width)]


def _table(facts: Sequence[tuple[str, str]], width: int) -> list[Row]:
    known = [(name, clean(value)) for name, value in facts if value]
    rest = ((" " * width, ""),)
    return [
        Row(((value.replace("\n", " "), ""),), index, ((f"{name:<{width}}", "muted"),), rest)
        for index, (name, value) in enumerate(known)
    ]


def nothing(*lines: str) -> list[Row]:
    """What an empty tab says."""
    return [Row(((line, "muted"),), GAP) for line in lines]
