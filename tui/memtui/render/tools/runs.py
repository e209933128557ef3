"""Runs of tool calls that only look, folded to one line: `▸ Read 3 files, searched 2 times  a.py, b.py, …`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.cells import cell_len

from memtui.render.rows import Row, Span
from memtui.render.tools.calls import RenderedCall
from memtui.render.tools.headings import GAP, line_width, short_name
from memtui.render.tools.subjects import line_of, subject
from memtui.wording.formatting import cut, plural
from memtui.wording.path_text import middle_cut
from memtui_core.tools.vocabulary import text_of

_NAME: Final = 40
"""Cells of what one call is about in the line of its run."""
_MORE: Final = ", …"
_LEAST: Final = 12
"""Cells from which on the beginning of a name says anything."""


def runs(calls: Sequence[RenderedCall]) -> Iterator[list[RenderedCall]]:
    """Calls that only look and that succeeded, as long as they follow each other; each other call by itself."""
    run: list[RenderedCall] = []
    for call in calls:
        if _is_look(call):
            run.append(call)
            continue
        if run:
            yield run
        run = []
        yield [call]
    if run:
        yield run


def _is_look(call: RenderedCall) -> bool:
    return call.result is not None and not call.tool.is_error and not call.tool.is_orphan and call.tool.is_look


def run_row(calls: Sequence[RenderedCall], width: int, opened: bool) -> Row:
    """The line of a run: what was done how often, and what it was about, as far as there is room."""
    label = _label(calls)
    spans: list[Span] = [("▾ " if opened else "▸ ", "tool"), (label, "tool")]
    paths = {call.path for call in calls if call.tool.family == "read"}
    same = Counter(path.rpartition("/")[2] for path in paths)
    names = list(dict.fromkeys(filter(None, (_name(call, same) for call in calls))))
    if about := _joined(names, line_width(width) - 2 - cell_len(label) - len(GAP)):
        spans += [(GAP, ""), (about, "muted")]
    return Row(tuple(spans), calls[0].seq, wrap="none", fold=run_fold(calls[0].seq))


def run_fold(seq: int) -> int:
    """The fold that a click on the line of a run toggles; less than -1, so that it differs from any `seq`."""
    return -2 - seq


def _label(calls: Sequence[RenderedCall]) -> str:
    """`Read 3 files, searched 2 times, Bash ×4`, in the order in which each was done first."""
    kinds: dict[str, list[RenderedCall]] = {}
    for call in calls:
        kinds.setdefault(call.tool.family if call.tool.family != "shell" else short_name(call.name), []).append(call)
    parts = []
    for kind, members in kinds.items():
        if kind == "read":
            files = len({call.path for call in members})
            parts.append(f"read {plural(files, 'file')}" if files > 1 or len(members) == 1 else _times(kind, members))
        elif kind == "search":
            parts.append(_times("searched", members))
        else:
            parts.append(f"{kind} ×{len(members)}" if len(members) > 1 else kind)
    text = ", ".join(parts)
    return text[:1].upper() + text[1:] if next(iter(kinds)) in {"read", "search"} else text


def _times(verb: str, calls: Sequence[RenderedCall]) -> str:
    return f"{verb} once" if len(calls) == 1 else f"{verb} {len(calls)} times"


def _name(call: RenderedCall, same: Mapping[str, int]) -> str:
    """What a call is about in a few words: the file, the pattern, the purpose or the command.

    A file is called by its name, or by its path if `same` counts several of this name.
    """
    if call.tool.family == "read":
        path = line_of(call.path)
        is_shared = same[call.path.rpartition("/")[2]] > 1
        return middle_cut(path, _NAME) if is_shared else cut(path.rpartition("/")[2], _NAME)
    if call.tool.family == "search" and (pattern := text_of(call.tool.fields, ("pattern", "query"))):
        return cut(line_of(pattern), _NAME)
    if call.tool.command and not call.tool.purpose and (files := _files_shown(call)):
        return cut(", ".join(files), _NAME)
    about = subject(call, _NAME)
    return about[0][0] if about else ""


def _files_shown(call: RenderedCall) -> list[str]:
    """The names of the files that a command prints."""
    shown = (line_of(file.path) for file in call.tool.shell_files if file.use == "shown")
    return list(dict.fromkeys(path.rpartition("/")[2] for path in shown))


def _joined(names: Sequence[str], width: int) -> str:
    """Names after each other; the last one for which there is room may be cut, and `…` stands for the others."""
    text = ""
    for position, name in enumerate(names):
        before, more = f"{text}, " if text else "", _MORE if position < len(names) - 1 else ""
        room = width - cell_len(before)
        if cell_len(name + more) > room:
            if room >= _LEAST:
                return before + cut(name + more, room)
            return f"{text}{_MORE}" if text else ""
        text = before + name
    return text
