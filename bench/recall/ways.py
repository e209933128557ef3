"""Ways to be reminded at a moment, each of them kept from seeing what was done since."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any

from bench.recall.moments import Moment
from memtui.agents.hooks import prompt_reminder
from memtui.agents.hooks.reminder_text import reminder
from memtui.agents.mcp.backend import BackendState
from memtui.agents.mcp.token_limit import ToolAnswer
from memtui.agents.mcp.toolbox import Toolbox
from memtui.agents.mcp.tools.search import SEARCH
from memtui_core.index.index import Index
from memtui_core.index.search import Search
from memtui_core.memory.observations.search import ObservationSearch
from memtui_core.memory.observations.store import Observations
from memtui_core.memory.recall.recalled_turn import RecalledTurn
from memtui_core.memory.recall.similar_turns import RecallScope
from memtui_core.model import SearchResult
from memtui_core.queries.current_project import CurrentProject
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.token_estimate import CHARS_PER_TOKEN

_FILE_TURNS, _FILE_EACH = 3, 400
"""Turns that the hook of a file tells of, and characters of each."""
_CITED = re.compile(r"^(?:## Turn: (\S+):\d+|## Session: (\S+)|\*Session: (\S+) \| .*\*)$", re.MULTILINE)
_SHOWN = re.compile(r"^### Memory ", re.MULTILINE)
"""No line of a transcript begins so: they are quoted."""


@dataclass(frozen=True, slots=True)
class Told:
    """What an agent was told."""

    sessions: tuple[str, ...]
    """The session of each result, in order; one session may stand there several times."""
    tokens: int

    @classmethod
    def of(cls, sessions: Sequence[str], chars: int) -> Told:
        """Told with so many characters, as `max_tokens` counts them."""
        return cls(tuple(sessions), ceil(chars / CHARS_PER_TOKEN))


Way = Callable[[Moment], Told]


def ways(data_dir: Path) -> Mapping[str, Way]:
    """All ways to ask the index of a data folder, by their names. Raises ModelUnavailable."""
    index, toolbox = Index.open(data_dir), Toolbox(data_dir)
    index.vectors.load_model(threads=2)
    words_only = BackendState(
        ObservationSearch(Observations(data_dir)), _WordsOnly.open(data_dir), Snapshot(DataDir(data_dir))
    )
    return {
        "mem-search": lambda moment: cited(toolbox.call("mem-search", asking(moment))),
        "mem-search, words only": lambda moment: cited(SEARCH.answer(words_only, asking(moment))),
        "mem-search, all projects": lambda moment: cited(toolbox.call("mem-search", asking(moment, "all"))),
        "hook of the file": lambda moment: of_file(index, moment),
        "hook of the prompt": lambda moment: of_prompt(index, moment),
    }


def asking(moment: Moment, project: str = "") -> dict[str, Any]:
    """The arguments of a call of `mem-search` at a moment: in its project, without the own session and the future."""
    # Filters have the time zone of now, whatever was in force then.
    local = moment.at.astimezone(datetime.now().astimezone().tzinfo)
    query = f"before:{local:%Y-%m-%dT%H:%M} {moment.query}"
    return {"query": query, "project": project or moment.root, "my_session": moment.session}


def cited(answer: ToolAnswer) -> Told:
    """The sessions that an answer of `mem-search` names. Raises ValueError for an error."""
    if answer.failed:
        raise ValueError(answer.text)
    sessions = [next(filter(None, match.groups())) for match in _CITED.finditer(answer.text)]
    return Told.of(sessions, answer.length if sessions else 0)


def of_file(index: Index, moment: Moment) -> Told:
    """What the hook of a file tool says of the file."""
    found = index.recall.for_file(moment.path, _FILE_TURNS, _scope(moment))
    return _shown(found, f"Past context for {moment.path}", _FILE_EACH, moment.at)


def of_prompt(index: Index, moment: Moment) -> Told:
    """What the hook of a prompt says of the request."""
    if prompt_reminder.is_trivial(moment.request):
        return Told((), 0)
    found = index.recall.for_prompt(
        moment.request[: prompt_reminder.MAX_PROMPT], prompt_reminder.MAX_TURNS, _scope(moment)
    )
    return _shown(found, "Relevant past context", prompt_reminder.MAX_TEXT, moment.at)


@dataclass(frozen=True, slots=True)
class _PastScope(RecallScope):
    """The scope of a recall at a time in the past."""

    at: datetime | None = None

    def where(self) -> tuple[str, list[Any]]:
        condition, parameters = RecallScope.where(self)
        if self.at is None:
            return condition, parameters
        return f"{condition} AND t.started_at < ?", [*parameters, self.at.replace(tzinfo=None)]


class _WordsOnly(Index):
    """An index that is searched by the words of a query alone."""

    @cached_property
    def search(self) -> Search:
        return _SearchByWords(self)


class _SearchByWords(Search):
    def __call__(self, text: str, limit: int = 50, **options: Any) -> SearchResult:
        return super().__call__(text, limit, **{**options, "engines": ("lexicon",)})


def _scope(moment: Moment) -> RecallScope:
    return _PastScope(moment.session, None, CurrentProject(moment.root, moment.root), moment.at)


def _shown(found: Sequence[RecalledTurn], heading: str, each: int, now: datetime) -> Told:
    """The turns that fit, in the format of the hooks."""
    text = reminder(heading, found, each, now)
    return Told.of([turn.session_id for turn in found[: len(_SHOWN.findall(text))]], len(text))
