"""Who asks: the project that counts, and the session that is left out because the asker has it before it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from memtui.mcp.arguments import Arguments, BadArgument
from memtui.mcp.memory import View
from memtui_core.index import Index
from memtui_core.memory.fallback import Ask
from memtui_core.memory.timeline import root_of
from memtui_core.model import SearchResult
from memtui_core.query import parse
from memtui_core.system import locations
from memtui_core.text.paths import query_path

SESSION_VARIABLES = ("MEMTUI_SESSION_ID", "CLAUDE_CODE_SESSION_ID")
"""Where an agent tells its servers which session they work for."""
_MOST_NAMES = 10


def own_session(environ: Mapping[str, str] = os.environ) -> str:
    """The session that started this process; empty where nothing tells it."""
    return next((found for name in SESSION_VARIABLES if (found := environ.get(name, "").strip())), "")


@dataclass(frozen=True, slots=True)
class Asking:
    """The scope of one call."""

    root: str | None
    """Folder of the project that counts, its worktrees folded into it; None for all."""
    without: str
    """Id of the session that is left out; empty for none."""

    @property
    def narrowed(self) -> str:
        """A note for an empty answer."""
        return "" if self.root is None else f'Only the project {self.root} was asked; project: "all" asks every one.'


def asking(view: View, arguments: Arguments) -> Asking:
    """The scope that the arguments `project`, `my_session` and `include_my_session` give. Raises BadArgument."""
    own = arguments.text("my_session") or own_session()
    without = "" if arguments.flag("include_my_session", False) else own
    return Asking(_root(view, arguments.text("project").strip()), without)


def searching(index: Index, asked: Asking) -> Ask:
    """The search over the turns in scope; a project that the query itself names counts instead."""

    def ask(text: str, limit: int) -> SearchResult:
        root = None if any(name == "project" for name, _ in parse(text).filters) else asked.root
        return index.search(f"{_filters(root, asked.without)}{text}", limit, here=locations.current_folder())

    return ask


def _filters(root: str | None, without: str) -> str:
    """The filters that stand before a query, so that a quotation mark left open in it cannot swallow them."""
    narrowed = f'project:"{root}" ' if root and '"' not in root else ""
    return narrowed + (f'-session:"{without}" ' if without and '"' not in without else "")


def _root(view: View, wanted: str) -> str | None:
    if wanted == "all":
        return None
    if not wanted:
        return root_of(view.snapshot, locations.current_folder())
    known = view.index.projects() if view.index is not None else []
    folder = query_path(wanted).rstrip("/")
    found = [one for one in known if folder == one.root] or [one for one in known if wanted.lower() == one.name.lower()]
    if len(found) == 1:
        return found[0].root
    if found:
        raise BadArgument(f"{len(found)} projects are called {wanted!r}: {', '.join(one.root for one in found)}.")
    names = ", ".join(one.name for one in known[:_MOST_NAMES]) or "none"
    raise BadArgument(f'There is no project {wanted[:60]!r}. There are: {names}; "all" stands for every one.')
