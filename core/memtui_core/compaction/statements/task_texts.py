"""The texts that tell an agent what to do: issues and tickets that it fetched, plans, and documents with requirements.

They are recognized by the command, the tool or the path, as trackers and spec tools name them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from memtui_core.text.line_numbers import without_numbers
from memtui_core.tools.call import ToolCall
from memtui_core.tools.vocabulary import vocabulary

_TRACKERS: Final = {
    "bd": ("show",),
    "gh": ("issue view",),
    "glab": ("issue view",),
    "jira": ("issue view",),
    "linear": ("issue view", "issue show"),
    "acli": ("jira workitem view",),
    "tea": ("issues",),
    "az": ("boards work-item show",),
    "backlog": ("task",),
    "tk": ("show",),
}
"""The commands that show a task, by program."""
_TRACKER_TOOLS: Final = re.compile(
    r"(?:get|read|fetch|view|show|retrieve)[-_]?(?:jira[-_]?)?(?:issue|ticket|task|card|story|work[-_]?item)"
    r"|(?:issue|ticket|work[-_]?item)[-_](?:get|read|view)|task[-_]?get$",
    re.IGNORECASE,
)
_TRACKER_ADDRESS: Final = re.compile(r"/(?:issues|browse|work_items)/[\w-]*\d|linear\.app/\S+/issue/|/secure/\S*issue")
_SPEC_PATH: Final = re.compile(
    r"(?:^|/)(?:openspec|specs?|\.kiro|\.specify|plans?|prds?|rfcs?|adrs?|proposals?|requirements|design-docs|stories|tickets)/"
    r"(?:.+/)?[^/]+\.(?:md|mdx|txt|feature)$"
    r"|(?:^|/)(?:[\w.-]*[-_.])?(?:spec|plan|prd|rfc|todo|tasks|requirements|proposal|acceptance|roadmap|design)"
    r"(?:[-_.][\w.-]*)?\.(?:md|mdx|txt)$",
    re.IGNORECASE,
)
_SPEC_TITLE: Final = re.compile(
    r"\A(?:---\n.*?\n---\s*)?\s*#+ [^\n]{0,80}\b"
    r"(?:plan|spec(?:ification)?|requirements|roadmap|proposal|acceptance criteria|prd|rfc)\b",
    re.IGNORECASE | re.DOTALL,
)
"""The first heading of a document with a plan or requirements."""
_LONGEST_HEAD: Final = 1000
"""Characters at the beginning of a document in which its title is looked for."""
_PROSE_ENDINGS: Final = (".md", ".mdx", ".txt")
_CLOSING_VERBS: Final = frozenset({"close", "done", "resolve", "complete", "finish"})
_CLOSED_STATES: Final = frozenset({"completed", "deleted"})
_ID_FIELD: Final = re.compile(r"(?:^|_|task)(?:id|key|number)$|issue|ticket", re.IGNORECASE)
_PART_ARGUMENTS: Final = frozenset({"offset", "limit", "start_line", "end_line", "view_range"})
"""Arguments of a read that returns a part of a file."""
_LONGEST_PATH: Final = 300
"""Characters of a path or an address that are matched."""
_REPOSITORY: Final = frozenset({"-R", "--repo"})
"""Options with the repository of a task."""


@dataclass(frozen=True, slots=True)
class TaskText:
    """A text that tells what to do."""

    origin: Literal["task", "spec"]
    text: str
    line: int
    name: str
    """The ids of the tasks as the agent named them, separated by blanks, empty if not known; or a path."""
    is_whole: bool = True
    """False for an edit of a document, and for a part of one."""


def plan_text(call: ToolCall) -> str:
    """The plan that a call presented to the user; empty for other calls."""
    if call.name.lower() not in vocabulary().names.proposals:
        return ""
    plan = call.fields.get("plan")
    return plan if isinstance(plan, str) else ""


def task_texts(call: ToolCall) -> list[TaskText]:
    """The task texts that a call fetched, or the document with requirements that it read or wrote.

    A command that shows several tasks is one text for each, if their ids begin lines of its output.
    """
    text = _task_text(call)
    if text is None or text.origin == "spec" or len(ids := text.name.split()) < 2:
        return [] if text is None else [text]
    starts = sorted((match.start(), name) for name in ids if (match := _title_of(name).search(text.text)))
    if len(starts) < len(ids):
        return [text]
    ends = [*(start for start, _ in starts[1:]), len(text.text)]
    return [
        TaskText("task", text.text[start:end], text.line, name) for (start, name), end in zip(starts, ends, strict=True)
    ]


def _title_of(name: str) -> re.Pattern[str]:
    """The beginning of the line with the title of a task: `○ shop-14 · Round prices`."""
    return re.compile(rf"^[^\w\n]{{0,8}}{re.escape(name)}(?![\w.-]*\w)", re.MULTILINE)


def _task_text(call: ToolCall) -> TaskText | None:
    result = call.result
    if call.is_error or result is None:
        return None
    if call.family in {"edit", "write"}:
        written = "\n".join(edit.new for edit in call.edits if edit.new)
        is_whole = all(edit.kind == "write" for edit in call.edits)
        is_task = bool(written) and (is_spec(call.path) or (is_whole and _is_titled_spec(call.path, written)))
        return TaskText("spec", written, call.line, call.path, is_whole) if is_task else None
    if call.family == "read":
        is_whole = not _PART_ARGUMENTS & call.fields.keys()
        text = without_numbers(result.text)
        is_task = is_spec(call.path) or _is_titled_spec(call.path, text)
        return TaskText("spec", text, result.line, call.path, is_whole) if is_task else None
    name = _fetched_task(call)
    return None if name is None else TaskText("task", _without_json(result.text), result.line, name)


def closed_tasks(call: ToolCall) -> Iterator[str]:
    """The ids of the tasks that a call closed."""
    is_update = call.name.lower() in vocabulary().names.task_updates
    if is_update and not call.is_error and call.fields.get("status") in _CLOSED_STATES:
        yield str(call.fields.get("taskId") or "")
    for words in () if call.is_error else call.programs:
        if words[0].rpartition("/")[2] in _TRACKERS and _CLOSING_VERBS & set(words[1:3]):
            yield from _ids(words[2:])


def is_spec(path: str) -> bool:
    """Whether a path is that of a document with requirements, a plan or tasks, by its name or its folder."""
    return _SPEC_PATH.search(path[-_LONGEST_PATH:].replace("\\", "/")) is not None


def _is_titled_spec(path: str, text: str) -> bool:
    """Whether a document begins with the title of a plan or of requirements, whatever its name is."""
    return path.lower().endswith(_PROSE_ENDINGS) and _SPEC_TITLE.match(text[:_LONGEST_HEAD]) is not None


def _fetched_task(call: ToolCall) -> str | None:
    """The id of the task that a call shows, empty if it is not known; None if it shows none."""
    if call.family == "shell":
        shown = [name for words in call.programs if (name := _shown_task(words)) is not None]
        return " ".join(dict.fromkeys(shown)) if shown else None
    if call.family == "web":
        url = call.fields.get("url")
        return _last_id(url) if isinstance(url, str) and _TRACKER_ADDRESS.search(url, 0, _LONGEST_PATH) else None
    if call.family not in {"other", "plan"} or not _TRACKER_TOOLS.search(call.name):
        return None
    return next((_last_id(str(value)) for name, value in call.fields.items() if _ID_FIELD.search(name)), "")


def _shown_task(words: list[str]) -> str | None:
    for verb in _TRACKERS.get(words[0].rpartition("/")[2], ()):
        count = 1 + len(verb.split())
        if " ".join(words[1:count]) == verb:
            return next(_ids(words[count:]), "")
    return None


def _ids(words: list[str]) -> Iterator[str]:
    """The words of a command that may be ids of tasks, with the repository that an option names: `ana/shop#14`."""
    repository = next((after for option, after in pairwise(words) if option in _REPOSITORY), "")
    for word in words:
        if not word.startswith("-") and word != repository and any(map(str.isdigit, word)):
            yield f"{repository}#{word.lstrip('#')}" if repository else word.lstrip("#")


def _last_id(text: str) -> str:
    return text.lstrip("#").partition("#")[0].rstrip("/").rpartition("/")[2]


def _without_json(text: str) -> str:
    """The text of a result that is JSON with its line breaks: `gh issue view --json body` returns one line."""
    is_json = text.lstrip()[:1] in {"{", "["} and "\\n" in text
    return text.replace("\\r", "").replace("\\n", "\n").replace('\\"', '"') if is_json else text
