"""The columns of files and folders, and all facts of a file in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import Final

from rich.cells import cell_len
from textual.content import Content

from memtui.views.base import NEWEST
from memtui.views.files.folders import FolderKey, TreeLine
from memtui.widgets.table.columns import AGE_WIDTH, TableColumn
from memtui.wording.formatting import age, cut, number, plural
from memtui.wording.path_text import distinguishing_folders, middle_cut
from memtui_core.index.files import FileRow
from memtui_core.text.characters import lowered

_FIGURES: Final = (
    ("edits", "edited", 1),
    ("reads", "read", 4),
    ("mentions", "mentioned", 6),
    ("sessions", "sessions", 5),
)
"""The columns of counts: the name, the attribute of a file, and the rank."""
_WHOLE: Final = 10_000
"""More cells than a path has."""
_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_SEPARATOR: Final = " · "
_MATCH: Final = "$text-accent bold underline"


def facts_of(row: FileRow, now: datetime) -> str:
    """All facts in words: `✎ edited in 12 turns  ○ read in 3  ● 2 sessions  20 d to 2 d`; zeros are left out."""
    counts = [
        f"✎ edited in {plural(row.edited, 'turn')}" if row.edited else "",
        f"○ read in {number(row.read)}" if row.read else "",
        f"· named in {number(row.mentioned)}" if row.mentioned else "",
        f"● {plural(row.sessions, 'session')}",
    ]
    times = " to ".join(dict.fromkeys(filter(None, (age(row.first, now), age(row.last, now)))))
    return "  ".join(filter(None, ("" if row.edited else "no edits", *counts, times)))


@dataclass(frozen=True, slots=True)
class FileCells:
    """What the cells of some files depend on, besides the file."""

    now: datetime
    pattern: str
    """What was searched for: where it stands in a folder or a name, it is marked."""
    has_projects: bool
    """Whether the files are of more than one project."""
    repeated: Collection[str]
    """The paths that several projects have."""
    kept_folders: Mapping[str, int]
    """The folders that stay in cut paths: `distinguishing_folders`."""

    @classmethod
    def of(cls, files: Sequence[FileRow], now: datetime, pattern: str = "") -> FileCells:
        """The cells of all files of a list."""
        paths = Counter(file.path for file in files)
        repeated = {path for path, count in paths.items() if count > 1}
        has_projects = len({(file.root, file.project) for file in files}) > 1
        return cls(now, lowered(pattern), has_projects, repeated, distinguishing_folders(paths))

    def name(self, line: TreeLine, width: int) -> Content:
        """The name of a file, what was searched for marked."""
        return self._marked(middle_cut(_name(line), width), self.pattern.rpartition("/")[2])

    def folder_text(self, line: TreeLine) -> str:
        """The folder of a file; of one in no folder the project, if several have such a path."""
        return middle_cut(_folder(line), _WHOLE) or (line.row.project if line.row.path in self.repeated else "")

    def folder(self, line: TreeLine, width: int, *, with_project: bool) -> Content:
        """The folder of a file; `with_project` the project stands before it, if several have such a path."""
        path, folder = line.row.path, _folder(line)
        project = ""
        if with_project and path in self.repeated:
            room = max(width // 3, width - cell_len(folder) - len(_SEPARATOR))
            project = cut(line.row.project, room) + (_SEPARATOR if folder else "")
        kept = self.kept_folders.get(path)
        is_inside = kept is not None and kept < folder.count("/")
        shown = middle_cut(folder, width - cell_len(project), kept if is_inside else None) if folder else ""
        head, slash, _ = self.pattern.rpartition("/")
        marked = self._marked(shown, head if slash else self.pattern)
        return Content.assemble((project, "dim"), marked.stylize_before("dim"))

    def _marked(self, text: str, part: str) -> Content:
        content = Content(text)
        start = lowered(text).rfind(part) if part else -1
        return content.stylize(_MATCH, start, start + len(part)) if start >= 0 else content


def list_columns(cells: FileCells, shows_projects: Callable[[], bool]) -> list[TableColumn[TreeLine]]:
    """Name, folder, project if there are several, the counts, the first touch and the last.

    Where there is no room for projects, as `shows_projects` says, folders of files that several have name theirs.
    """
    name: TableColumn[TreeLine] = TableColumn(
        "name", _name, lambda line: _name(line).casefold(), least=12, enough=24, spills=True, content=cells.name
    )
    folder: TableColumn[TreeLine] = TableColumn(
        "folder",
        cells.folder_text,
        lambda line: line.row.path,
        rank=2,
        least=8,
        enough=30,
        grows=True,
        content=lambda line, width: cells.folder(line, width, with_project=not shows_projects()),
    )
    project: TableColumn[TreeLine] = TableColumn(
        "project",
        lambda line: line.row.project,
        lambda line: line.row.project.casefold(),
        rank=3,
        most=24,
        style="dim",
    )
    return [name, folder, *([project] if cells.has_projects else []), *_figures(cells.now)]


def tree_columns(unfolded: Collection[FolderKey], now: datetime) -> list[TableColumn[TreeLine]]:
    """The tree of folders, the counts, the first touch and the last."""
    tree: TableColumn[TreeLine] = TableColumn(
        "name",
        lambda line: _tree_cell(line, unfolded, _WHOLE).plain,
        lambda line: line.row.path,
        least=20,
        enough=48,
        grows=True,
        content=lambda line, width: _tree_cell(line, unfolded, width),
    )
    return [tree, *_figures(now)]


def _figures(now: datetime) -> list[TableColumn[TreeLine]]:
    return [
        *(_count(name, attribute, rank) for name, attribute, rank in _FIGURES),
        _time("first", "first", 7, now),
        _time(NEWEST, "last", 1, now),
    ]


def _count(name: str, attribute: str, rank: int) -> TableColumn[TreeLine]:
    count: Callable[[TreeLine], int] = attrgetter(f"row.{attribute}")

    def text(line: TreeLine) -> str:
        # Of a folder the highest number of sessions of a file is known, but not how many worked in it.
        is_unknown = line.folder is not None and attribute == "sessions"
        return number(count(line)) if count(line) and not is_unknown else ""

    return TableColumn(name, text, count, descending=True, rank=rank, right=True)


def _time(name: str, attribute: str, rank: int, now: datetime) -> TableColumn[TreeLine]:
    time: Callable[[TreeLine], datetime | None] = attrgetter(f"row.{attribute}")
    return TableColumn(
        name,
        lambda line: age(time(line), now),
        lambda line: time(line) or _NEVER,
        heading=attribute,
        descending=True,
        rank=rank,
        least=AGE_WIDTH,
        right=True,
        style="dim",
    )


def _name(line: TreeLine) -> str:
    return line.row.path.rpartition("/")[2] or line.row.path


def _folder(line: TreeLine) -> str:
    return line.row.path.removesuffix(_name(line)).rstrip("/")


def _tree_cell(line: TreeLine, unfolded: Collection[FolderKey], width: int) -> Content:
    """`▾ src/ 12` for a folder with its files, `upload.py` for a file, indented."""
    indent = "  " * line.depth
    if line.folder is None:
        return Content(indent + middle_cut(_name(line), max(8, width - len(indent))))
    mark, count = ("▾" if line.folder.key in unfolded else "▸"), f" {number(line.folder.count)}"
    name = cut(line.folder.name, max(8, width - len(indent) - 2 - len(count)))
    return Content.assemble(f"{indent}{mark} ", (name, "bold"), (count, "dim"))
